# SPDX-License-Identifier: BSD-2-Clause
#
# make help says what there is. Everything made is below build/.

# The version, wherever one is said: reports, .sbat, the host tool.
RELEASE := 0.1

CPU   ?= skylake-2018
SMP   ?= 2
SMT   ?= on
SEED  ?= 1
FAULT ?=
TRIALS ?=
TESTS ?=
FAULTS ?=
ROWS  ?=
KILLS ?= 100
STEP ?=
ONLY ?=
GOAL ?=
RUN ?=
CONSOLE ?=
KERNEL ?=
FILES ?=
KUT ?=
OPTIONS ?=
WRITE ?=
ACCEL ?= tcg
NAME  ?=
ROOM  ?=
COUNT ?= 500

# As many jobs as there are processors, unless the user says how many.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

B := build
# The interpreter of Debian, whatever else PATH holds first.
PYTHON := /usr/bin/python3

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Wundef -Wvla -Werror
# Code that runs on firmware's stack, without an operating system, at any address.
BARE := -std=c11 -O2 -g -ffreestanding -fpic -fvisibility=hidden -fshort-wchar \
        -mno-red-zone -mgeneral-regs-only -fno-stack-protector \
        -fno-strict-aliasing -fno-asynchronous-unwind-tables \
        -fcf-protection=none '-ffile-prefix-map=$(CURDIR)=.'
EFI_INC := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 \
           -DGNU_EFI_USE_MS_ABI
# Not := : the compiler may only be installed by the time a recipe runs.
CORE_INC = -nostdinc -isystem $(shell $(CC) -print-file-name=include)
DEPS = -MMD -MP -MF $@.d

export SOURCE_DATE_EPOCH := 1767225600
export WRITE

.PHONY: all help list setup run image sign tool test host lint boot soak sweep scale
.PHONY: dist dist-test lab-test man linux peer-tests new-test table faults claims mutants
.PHONY: deviations observed unchanged same figures bench damage fuzz powercut distributions clang docs clean
all: $(B)/tsxpmu.efi $(B)/silicon.efi $(B)/tsxpmu

help:
	@echo 'make run      boots the simulated processor and the harness on it'
	@echo '                CPU=$(CPU)  a personality, or none for plain QEMU'
	@echo '                SMP=$(SMP) processors, SMT=$(SMT) (off: eight counters)'
	@echo '                FAULT=name  a named deviation of the processor'
	@echo '                SEED=$(SEED)  what the manual leaves open'
	@echo '                TRIALS=n  for each measurement; TESTS=name or pattern*'
	@echo '                ACCEL=kvm  by KVM on a processor of AMD; not tried yet'
	@echo '                OPTIONS=words  more options, docs/user.md says which'
	@echo '              the report stays in $(B)/report.log; the exit status is'
	@echo '              0 for a whole report with no FAIL and no ERROR, else 2'
	@echo 'make list     the personalities, the faults and what goes wrong, the tests'
	@echo '              and what each asks'
	@echo 'make new-test NAME=name ROOM=subject  the file that a test starts from, in'
	@echo '              src/cases/ROOM, and its row in tests/boot/needs.txt'
	@echo 'make table    tests/boot/runs.txt: what has to run on which personality;'
	@echo '              docs/claims.md, from tests/claims/'
	@echo 'make claims   what the manuals say: each claim has a test, each asserted'
	@echo '              one a fault that it catches; SEEDS=folder of documents'
	@echo 'make linux    Debian'"'"'s kernel and perf on the simulated processor: a tour;'
	@echo '                CPU, SMP (1 unless given), FAULT, OPTIONS=words for the kernel'
	@echo "                RUN='commands' there instead; CONSOLE=1 a shell"
	@echo '                KERNEL=file  another kernel, with an EFI stub'
	@echo '                FILES=folder  of programs and their libraries, to be there'
	@echo 'make peer-tests  kvm-unit-tests on it, beside plain QEMU; KUT=folder of'
	@echo '                their EFI builds, TESTS=patterns'
	@echo 'make test     the checks; PART=all: all tests on each personality'
	@echo 'make host | lint | boot   one kind of them'
	@echo 'make observed  tests/boot/observed.txt: what is observed on each personality,'
	@echo '              or on CPUS= alone'
	@echo 'make mutants  COUNT=$(COUNT) small changes of src/, drawn by SEED: is each noticed,'
	@echo '              by a unit test or a verdict? ROOM=folders of src/, by patterns'
	@echo 'make deviations  COUNT=50 the same of the simulated processor: does a test see each?'
	@echo 'make soak     every personality over SEEDS seeds (usual: 20), each of'
	@echo '              which starts at another time; TRIALS=n (usual: 300);'
	@echo '              or BOOTS=n short ones, THREADS=n in which no turns are taken;'
	@echo '              or SOLD=1,2: those as sold on one processor and on two, with'
	@echo '                a table; FROM=first seed, CPUS=patterns, JOBS=boots at a time'
	@echo 'make faults   each fault with every test: what catches it, and what else'
	@echo '              fails; FAULTS=patterns, TESTS=patterns, TRIALS=n (usual: 20);'
	@echo '              ROWS=1 only with the tests that have to catch it'
	@echo 'make same     the default run says the same each time, at any load'
	@echo 'make unchanged  no report is another one than with the programs of the'
	@echo '              commit SINCE; TRIALS=n (usual: 5)'
	@echo 'make powercut  the power fails KILLS times (usual: 100); SEED=$(SEED)'
	@echo 'make sweep    each MSR access of each test faults once; STEP=n: each nth;'
	@echo '              and all tests where firmware lets jobs only follow each other'
	@echo 'make scale    1 to 64 processors: times and sizes, measured now'
	@echo 'make distributions  make run on clean Debian 12 and 13, Ubuntu 24.04;'
	@echo '              root; ONLY=bookworm, trixie or noble; GOAL=test'
	@echo 'make figures  sizes and times, measured now, to docs/figures.md;'
	@echo '              WRITE=1 with scale, bench, powercut, distributions or'
	@echo '              test: what these measure goes there too'
	@echo 'make bench    how fast records are decoded, measured now; LIBIPT=FOLDER'
	@echo '              compares with the libipt of these sources'
	@echo 'make damage   what is left of a trace with damaged bytes; SEED='
	@echo 'make fuzz     the decoders on arbitrary bytes; needs clang'
	@echo 'make docs     the pictures of docs/, from their texts'
	@echo 'make image    $(B)/tsxpmu.img, for a USB stick'
	@echo 'make sign     the same with a signed program; KEY=file CERT=file'
	@echo 'make clang    tsxpmu.efi by clang and lld, in $(B)/clang'
	@echo 'make tool     $(B)/tsxpmu: reads reports, decodes records, plans groups of events'
	@echo 'make lab-test  the files of lab/ with QEMU as the machine: LAVA, labgrid,'
	@echo '              network boot; root'
	@echo 'make man      $(B)/man, a page for each of its commands'
	@echo 'make dist     $(B)/dist: what is released, with sums and what built it'
	@echo 'make setup    installs what all of it needs: scripts/setup says which lists'

setup:
	@scripts/setup

# --- What is built from what -------------------------------------------------

# A user's first command is `make run`: what is missing is installed on the way,
# what only other commands need not before those.
$(B)/setup-%.done: scripts/setup
	@scripts/setup $*
	@mkdir -p $(B)
	@touch $@
$(B)/setup-test.done: $(B)/setup-run.done
$(B)/setup-lab.done: $(B)/setup-test.done
$(B)/setup-linux.done: $(B)/setup-run.done
$(B)/setup-dist.done: $(B)/setup-test.done
$(B)/setup-lab-test.done: $(B)/setup-run.done
FOR_TEST := $(B)/setup-test.done
FOR_LAB  := $(B)/setup-lab.done

CASES := $(sort $(wildcard src/cases/*/*.c))
CORE  := $(sort $(wildcard src/*/*.c)) $(CASES)
APP   := $(CORE) $(sort $(wildcard efi/*.c asm/*.c efi/*.asm asm/*.asm))
INSTRUCTIONS := $(sort $(wildcard tests/silicon/instructions/*.c))
MODEL := $(INSTRUCTIONS) $(sort $(wildcard \
             $(foreach f,model faults personalities,\
                 tests/silicon/$(f)/*.c tests/silicon/$(f)/*/*.c)))
HYPERVISOR := $(sort $(wildcard tests/silicon/hypervisor/*/*.c))
SIM   := $(MODEL) $(HYPERVISOR) $(sort $(wildcard \
             tests/silicon/hypervisor/*/*.asm tests/silicon/equipment/*.c \
             tests/silicon/boot/*.c)) efi/entry.asm efi/start.c
object = $(addprefix $(B)/bare/,$(addsuffix .o,$(1)))

# The list of tests is the list of files below src/cases/, by name; of one that
# is gone none is newer.
$(B)/gen/cases.inc: FORCE | $(B)/gen
	$(call keep,$(foreach c,$(sort $(notdir $(CASES:.c=))),CASE($(c))\n))

# The list of personalities is the list of files in tests/silicon/personalities/.
PERSONALITIES := $(notdir $(basename $(sort $(wildcard tests/silicon/personalities/*.c))))
$(B)/gen/personalities.inc: FORCE | $(B)/gen
	$(call keep,$(foreach p,$(subst -,_,$(PERSONALITIES)),PERSONALITY($(p))\n))

# The list of faults is that of the entries in tests/silicon/faults/.
FAULT_FILES := $(filter tests/silicon/faults/%,$(MODEL))
FAULT_LIST  = cat $(FAULT_FILES) | tr '\n' ' ' | \
              sed 's/FAULT( *\([a-z0-9_]*\),/\n@\1\n/g' | sed -n 's/^@//p'
$(B)/gen/faults.inc: $(FAULT_FILES) | $(B)/gen
	@$(FAULT_LIST) | sed 's/.*/FAULT_ENTRY(&)/' >$@

# The golden records as a table; the texts are their one source.
GOLDEN_PEBS := $(sort $(wildcard tests/golden/pebs-format*.txt))
$(B)/gen/pebs_golden.inc: $(GOLDEN_PEBS) tests/golden/pebs.awk | $(B)/gen
	@awk -f tests/golden/pebs.awk $(GOLDEN_PEBS) >$@
# The golden traces as tables; as above.
GOLDEN_PT := $(sort $(wildcard tests/golden/pt-*.txt))
$(B)/gen/pt_golden.inc: $(GOLDEN_PT) tests/golden/pt.awk | $(B)/gen
	@awk -f tests/golden/pt.awk $(GOLDEN_PT) >$@

# Which commit this is, for the report; rewritten only when it changes. Neither
# tags nor the size of the clone change what it is called.
VERSION := $(RELEASE) (git $(shell git describe --always --dirty --abbrev=12 \
                   --exclude='*' 2>/dev/null || sed '/^[$$]/s/.*/unknown/' scripts/commit))
define keep
	@printf '$(1)' >$@.part && { cmp -s $@.part $@ || cat $@.part >$@; }; \
	    rm -f $@.part
endef
$(B)/gen/version.h: $(B)/setup-run.done FORCE | $(B)/gen
	$(call keep,#define TSXPMU_RELEASE "$(RELEASE)"\n#define TSXPMU_VERSION "$(VERSION)"\n)
$(B)/gen/version.inc: $(B)/setup-run.done FORCE | $(B)/gen
	$(call keep,%%define TSXPMU_RELEASE "$(RELEASE)"\n)
.PHONY: FORCE

GENERATED := $(B)/setup-run.done $(B)/gen/cases.inc $(B)/gen/personalities.inc \
             $(B)/gen/faults.inc \
             $(B)/gen/pebs_golden.inc $(B)/gen/pt_golden.inc \
             $(B)/gen/version.h $(B)/gen/version.inc
$(B)/gen:
	@mkdir -p $@

# The simulator takes some thousand instructions for one of its guest's: a tenth
# to a fifth fewer by optimizing all of it at once, a twentieth by -O3.
$(B)/bare/tests/silicon/%.c.o: BARE += -flto -O3

$(B)/bare/src/%.c.o: src/%.c | $(GENERATED)
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) $(BARE) $(WARN) $(CORE_INC) -I. -I$(B)/gen $(DEPS) -c $< -o $@
$(B)/bare/%.c.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) $(BARE) $(WARN) $(EFI_INC) -I. -I$(B)/gen $(DEPS) -c $< -o $@
$(B)/bare/%.asm.o: %.asm | $(GENERATED)
	@mkdir -p $(@D)
	@echo "  nasm $@"
	@nasm -f elf64 -g -F dwarf -w+all -I$(<D)/ -I$(B)/gen/ -MD $@.d $< -o $@

# nasm's -MD leaves it out.
$(call object,efi/sbat.asm): $(B)/gen/version.inc
$(call object,$(wildcard asm/*.asm)): $(wildcard asm/*.inc)

LD   = ld
comma := ,
LINK_WITH := -znocombreloc -zmax-page-size=4096 -znoexecstack -Bsymbolic --no-undefined
LINK = $(LD) -nostdlib -shared $(LINK_WITH) -T efi/efi.lds
LINK_SIM = $(CC) $(BARE) -flto=auto -nostdlib -shared \
    $(addprefix -Wl$(comma),$(LINK_WITH) --build-id=none) -T efi/efi.lds
SECTIONS := $(addprefix -j ,.text .rodata .reloc .data .dynamic .rela .dynsym .sbat)

$(B)/tsxpmu.so: $(call object,$(APP)) efi/efi.lds
	@echo "  link $@"
	@$(LINK) $(filter %.o,$^) -o $@
$(B)/silicon.so: $(call object,$(SIM)) efi/efi.lds
	@echo "  link $@"
	@$(LINK_SIM) $(filter %.o,$^) -o $@
# Applications of the tests' own.
$(B)/clocks.so $(B)/costs.so $(B)/dirty.so $(B)/rewrites.so $(B)/strict.so $(B)/odd_firmware.so: $(B)/%.so: \
               $(B)/bare/tests/boot/%.c.o \
               $(call object,tests/boot/load_app.c efi/entry.asm efi/start.c) \
               efi/efi.lds
	@echo "  link $@"
	@$(LINK) $(filter %.o,$^) -o $@
$(B)/clocks.so $(B)/costs.so $(B)/rewrites.so: $(call object,tests/boot/takeover.c)
$(B)/odd_firmware.so: $(call object,$(addprefix tests/boot/odd_,\
    console.c services.c stacks.c volume.c))
$(B)/%.efi: $(B)/%.so scripts/pe_header.py
	@echo "  efi $@"
	@objcopy -S $(SECTIONS) --target efi-app-x86_64 --subsystem=10 $< $@
	@$(PYTHON) scripts/pe_header.py $@

# --- The host tool ---------------------------------------------------------------

# Its decoders are the application's own objects.
HOSTED := -std=c11 -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -O2 -g '-ffile-prefix-map=$(CURDIR)=.'
PURE   := src/base/text.c src/cpu/generation.c src/counting/constraints.c src/counting/schedule.c \
          $(sort $(wildcard src/pebs/pebs*.c src/pt/*.c))
TOOL   := $(sort $(wildcard host/*.c host/*/*.c))
# What reports are read with, beside host/report; of src/ as above.
READER := src/base/crc.c src/cpu/cpuid_bits.c src/cpu/identity.c src/cpu/regime.c \
          src/harness/verdict.c
BENCH  := tests/bench/pebs.c tests/bench/pt.c tests/bench/damage.c
hosted_object = $(addprefix $(B)/hosted/,$(addsuffix .o,$(1)))
$(call hosted_object,$(BENCH) tests/bench/libipt.c): | $(FOR_LAB)

$(B)/hosted/tests/bench/%.c.o: HOSTED += -O3
$(B)/hosted/%.c.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) $(HOSTED) $(WARN) -I. -I$(B)/gen $(DEPS) -c $< -o $@
# The page without what is written into it.
$(B)/gen/page.inc: host/page/page.html | $(B)/gen $(B)/setup-run.done
	@cd host/page && xxd -i page.html >$(CURDIR)/$@
$(call hosted_object,host/commands/page.c): $(B)/gen/page.inc
tool: $(B)/tsxpmu
# Many packets at a time: the tool's own, by vector instructions.
PT_MAP := $(sort $(wildcard host/pt_map*.c))
SWIFT := $(call hosted_object,host/pt_vector.c $(PT_MAP)) $(call object,$(filter-out src/pt/many.c,$(PURE)))
$(B)/tsxpmu: $(call hosted_object,$(TOOL)) $(SWIFT) $(call object,$(READER))
	@echo "  link $@"
	@$(CC) $(sort $^) -Wl,-z,now -ljansson -lsqlite3 -o $@
# A page for the tool and one for each command in a file of its own, of what
# they say themselves.
COMMANDS := $(filter-out arguments commands,$(notdir $(basename \
                $(wildcard host/commands/*.c))))
MAN_PAGES := $(B)/man/tsxpmu.1 $(COMMANDS:%=$(B)/man/tsxpmu-%.1)
man: $(MAN_PAGES)
$(MAN_PAGES): $(B)/man/%.1: $(B)/tsxpmu | $(FOR_TEST)
	@mkdir -p $(@D)
	@echo "  man $@"
	@run="$(B)/$(patsubst tsxpmu-%,tsxpmu %,$(subst _, ,$*))"; \
	help2man --no-info --section=1 --output=$@.part "$$run" --name="$$($$run --help \
	    | sed '1d; /^  or:/d' | tr '\n' ' ' | sed 's/[.:] .*//')"
	@sed -e '/^.TH/s/TSXPMU/$(subst _,-,$*)/' \
	    -e 's/^tsxpmu \\- /$(subst _,-,$*) \\- /' $@.part >$@
	@rm $@.part
$(B)/bench/pt: $(B)/hosted/tests/bench/libipt.c.o
# Debian's libipt, or that of the sources in the folder LIBIPT, static.
$(B)/gen/libipt: FORCE | $(B)/gen
	$(call keep,$(LIBIPT)\n)
$(B)/bench/pt $(B)/hosted/tests/bench/libipt.c.o: $(B)/gen/libipt
ifeq ($(LIBIPT),)
$(B)/bench/pt: LIBS := -lipt
else
$(B)/bench/pt: LIBS := $(B)/libipt/lib/libipt.a
$(B)/hosted/tests/bench/libipt.c.o: HOSTED += -I$(B)/libipt/libipt/include
$(B)/hosted/tests/bench/libipt.c.o: $(B)/libipt/lib/libipt.a
$(B)/libipt/lib/libipt.a: $(B)/gen/libipt
	@echo "  libipt $@"
	@cmake -S $(LIBIPT) -B $(B)/libipt -DCMAKE_BUILD_TYPE=Release \
	    -DCMAKE_C_FLAGS_RELEASE=-O2 -DBUILD_SHARED_LIBS=OFF >$(B)/libipt.log
	@$(MAKE) -s -C $(B)/libipt libipt >>$(B)/libipt.log
	@touch $@
endif
$(B)/bench/damage: $(call hosted_object,host/pt_salvage.c)
$(B)/bench/%: $(B)/hosted/tests/bench/%.c.o $(SWIFT)
	@mkdir -p $(@D)
	@echo "  link $@"
	@$(CC) $(filter %.o,$^) $(LIBS) -o $@

# --- Images --------------------------------------------------------------------

image: $(B)/tsxpmu.img
# Beside the program: its options, and what Windows users read. Lines end as
# they are used to there.
STICK := $(B)/stick/tsxpmu.cfg $(B)/stick/README.TXT
ON_STICK := $(foreach file,$(STICK),$(file)=$(notdir $(file)))
$(B)/stick/%: scripts/stick/%
	@mkdir -p $(@D)
	@sed 's/$$/\r/' $< >$@
$(B)/tsxpmu.img: $(B)/tsxpmu.efi $(STICK) scripts/image
	@echo "  image $@"
	@scripts/image $@ $<=EFI/BOOT/BOOTX64.EFI $(ON_STICK)

# Signed, for machines with Secure Boot: KEY and CERT as sbsign wants them.
SIGNED ?= $(B)/tsxpmu-signed.img
sign: $(B)/tsxpmu.efi $(STICK)
	@[ -n "$(KEY)" ] && [ -n "$(CERT)" ] || { \
	    echo "make sign: says whose signature by KEY= and CERT= (PEM files)"; \
	    exit 1; }
	@command -v sbsign >/dev/null || { \
	    echo "make sign: needs sbsign, of the package sbsigntool"; exit 1; }
	@sbsign --key "$(KEY)" --cert "$(CERT)" --output $(B)/tsxpmu-signed.efi $<
	@scripts/image "$(SIGNED)" $(B)/tsxpmu-signed.efi=EFI/BOOT/BOOTX64.EFI \
	    $(ON_STICK)
	@echo "  image $(SIGNED)"

# The same sources by another compiler and linker.
clang: | $(FOR_TEST)
	@$(MAKE) --no-print-directory B=$(B)/clang CC=clang LD=ld.lld \
	    $(B)/clang/tsxpmu.efi

# The simulated processor first; it starts the same tsxpmu.efi.
$(B)/silicon.img: $(B)/silicon.efi $(B)/tsxpmu.efi scripts/image
	@echo "  image $@"
	@scripts/image $@ $(B)/silicon.efi=EFI/BOOT/BOOTX64.EFI \
	    $(B)/tsxpmu.efi=tsxpmu.efi

$(B)/strict.img: $(B)/strict.efi $(B)/tsxpmu.efi scripts/image
	@echo "  image $@"
	@scripts/image $@ $(B)/strict.efi=EFI/BOOT/BOOTX64.EFI \
	    $(B)/tsxpmu.efi=tsxpmu.efi

# --- Running -------------------------------------------------------------------

FAULT_NAMES = $(shell $(FAULT_LIST))
# What cannot be meant ends in one line, before anything is built.
known = $(if $(and $(filter 1,$(words $(2))),$(filter $(3),$(2))),,\
    $(error unknown $(1) "$(2)"; valid: $(3)))
number = $(if $(shell echo '$(2)' | grep -Ex '$(3)'),,\
    $(error bad $(1) "$(2)"; valid: $(4)))
# docs/user.md, tests=; a boot takes them, make faults does not.
SUBJECTS := $(if $(filter run,$(MAKECMDGOALS)),\
                $(notdir $(wildcard src/cases/*)) counter3 parsers)
fits = $(if $(wildcard src/cases/*/$(1).c)$(filter $(1),$(SUBJECTS)),,\
    $(error no test fits TESTS "$(1)"; make list has them))
TO_64     := [1-9]|[1-5][0-9]|6[0-4]
DIGITS_9  := [0-9]{1,9}
DIGITS_19 := [0-9]{1,19}
FROM_1    := [1-9][0-9]{0,8}
TEST_NAME := [a-z][a-z0-9]*(_[a-z0-9]+){1,5}
comma := ,
ifneq ($(filter run soak powercut sweep faults,$(MAKECMDGOALS)),)
$(call known,CPU,$(CPU),$(subst _,-,$(PERSONALITIES)) none)
$(call known,SMT,$(SMT),on off)
$(if $(FAULT),$(call known,FAULT,$(FAULT),$(FAULT_NAMES)))
$(call number,SMP,$(SMP),$(TO_64),1 to 64)
$(call number,SEED,$(SEED),$(DIGITS_19),up to 19 digits)
$(if $(TRIALS),$(call number,TRIALS,$(TRIALS),$(DIGITS_9),up to 9 digits))
$(call number,KILLS,$(KILLS),$(FROM_1),1 and more)
$(if $(SEEDS),$(call number,SEEDS,$(SEEDS),$(FROM_1),1 and more))
$(if $(BOOTS),$(call number,BOOTS,$(BOOTS),$(FROM_1),1 and more))
$(if $(THREADS),$(call number,THREADS,$(THREADS),$(FROM_1),1 and more))
$(if $(FROM),$(call number,FROM,$(FROM),$(FROM_1),1 and more))
$(if $(JOBS),$(call number,JOBS,$(JOBS),$(TO_64),1 to 64))
$(if $(SOLD),$(call number,SOLD,$(SOLD),[124](,[124])*,1$(comma)2$(comma)4 or some of them))
$(if $(STEP),$(call number,STEP,$(STEP),$(FROM_1),1 and more))
$(foreach pattern,$(subst $(comma), ,$(TESTS)),$(call fits,$(pattern)))
endif
ifneq ($(filter run linux,$(MAKECMDGOALS)),)
$(call known,ACCEL,$(ACCEL),tcg kvm)
ifeq ($(ACCEL),kvm)
NO_KVM := $(shell $(PYTHON) scripts/kvm.py)
$(if $(NO_KVM),$(error ACCEL "kvm"; not on this machine: $(NO_KVM)))
endif
endif
ifneq ($(filter linux,$(MAKECMDGOALS)),)
$(if $(KERNEL),$(if $(shell head -c 2 "$(KERNEL)" 2>/dev/null | grep -x MZ),,\
    $(error KERNEL "$(KERNEL)"; valid: the file of a kernel with an EFI stub)))
$(if $(FILES),$(if $(wildcard $(FILES)/*),,$(error FILES "$(FILES)"; valid: a folder with files)))
endif
ifneq ($(filter distributions,$(MAKECMDGOALS)),)
$(if $(ONLY),$(call known,ONLY,$(ONLY),bookworm trixie noble))
$(if $(GOAL),$(call known,GOAL,$(GOAL),run test))
endif

ifneq ($(filter new-test,$(MAKECMDGOALS)),)
$(call known,ROOM,$(ROOM),$(sort $(notdir $(patsubst %/,%,$(wildcard src/cases/*/)))))
$(call number,NAME,$(NAME),$(TEST_NAME),small letters$(comma) digits and _$(comma) words of a subject: pebs_reload)
$(if $(wildcard src/cases/*/$(NAME).c),$(error NAME "$(NAME)"; is there: \
    $(wildcard src/cases/*/$(NAME).c)))
endif

run:
	@$(MAKE) --no-print-directory -s $(B)/silicon.efi $(B)/tsxpmu.img
	@$(PYTHON) scripts/run.py --silicon $(B)/silicon.efi \
	    --image $(B)/tsxpmu.img --report $(B)/report.log \
	    --cpu "$(CPU)" --smp "$(SMP)" --smt "$(SMT)" --seed "$(SEED)" \
	    --fault "$(FAULT)" --tests "$(TESTS)" --trials "$(TRIALS)" \
	    --options "$(OPTIONS)" $(if $(filter kvm,$(ACCEL)),--kvm)

# What Debian's kernel starts with, and from what. Never part of `make test`:
# that takes them where they are.
LINUX_PROGRAMS := $(patsubst tests/linux/%.c,%,$(sort $(wildcard tests/linux/*.c)))
$(B)/linux/%: tests/linux/%.c tests/linux/say.h | $(B)/setup-linux.done
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) -std=gnu11 -O1 $(WARN) -Wno-missing-prototypes -Wno-pedantic -ffreestanding \
	    -fno-stack-protector -nostdlib -static -I. $(MODE) $< -o $@
$(B)/linux/%32: MODE := -m32
$(B)/linux/vmlinuz: | $(B)/setup-linux.done
	@mkdir -p $(@D)
	@scripts/kernel $@
$(B)/linux/stick.img: $(B)/linux/vmlinuz $(B)/linux/files.cpio scripts/image
	@MEBIBYTES=254 scripts/image $@ $<=vmlinuz.efi $(word 2,$^)=files.cpio
# That of the user, which may be another one each time.
.PHONY: $(B)/linux/own.img
$(B)/linux/own.img: $(B)/linux/files.cpio
	@MEBIBYTES=254 scripts/image $@ "$(KERNEL)=vmlinuz.efi" $<=files.cpio
LINUX_STICK = $(B)/linux/$(if $(KERNEL),own,stick).img
$(B)/linux/files.cpio: tests/linux/init scripts/initramfs.py \
                       $(addprefix $(B)/linux/,$(LINUX_PROGRAMS)) | $(B)/setup-linux.done
	@scripts/initramfs.py $@ init=$< \
	    $(foreach p,$(LINUX_PROGRAMS),bin/$(p)=$(B)/linux/$(p))
linux: export RUN := $(RUN)
linux:
	@$(MAKE) --no-print-directory -s $(B)/silicon.efi $(LINUX_STICK)
	@$(PYTHON) scripts/linux.py --stick $(LINUX_STICK) --cpu "$(CPU)" --fault "$(FAULT)" --options "$(OPTIONS)" \
	    --run "$$RUN" --smp $(if $(filter file,$(origin SMP)),1,$(SMP)) $(if $(CONSOLE),--console) \
	    --files "$(FILES)" $(if $(filter kvm,$(ACCEL)),--kvm)

peer-tests: $(B)/silicon.efi
	@[ -n "$(KUT)" ] || { echo "peer-tests: KUT=folder of kvm-unit-tests' *.efi" >&2; exit 64; }
	@$(PYTHON) scripts/peer_tests.py --kut "$(KUT)" --cpu "$(CPU)" --tests "$(TESTS)"

# What is released: docs/release.md.
dist: all $(B)/tsxpmu.img $(B)/silicon.img | $(B)/setup-dist.done
	@$(PYTHON) scripts/dist.py --release $(RELEASE) --out $(B)/dist
lab-test: $(B)/silicon.img $(B)/tsxpmu.efi | $(B)/setup-lab-test.done
	$(CHECK) lab
dist-test: | $(B)/setup-dist.done
	$(CHECK) dist

list:
	@$(PYTHON) scripts/listing.py

new-test:
	@$(PYTHON) scripts/new_test.py $(NAME) $(ROOM)

table:
	@$(PYTHON) tests/boot/expected.py
	@$(PYTHON) tests/claims.py

# --- Checking ------------------------------------------------------------------

SAN := -std=c11 -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all \
       -fno-omit-frame-pointer
# A folder of tests/host, or of its cases/, is a subject; a file there is one
# program. Assembly and
# the machine are played by tests/host/fakes.
SIM_ROOMS   := boot hypervisor instructions model
HOST_TESTS  := $(sort $(filter-out $(addprefix tests/host/,fakes/% efi/% \
                   $(SIM_ROOMS:=/%)),$(wildcard tests/host/*/*.c \
                   tests/host/cases/*/*.c)))
SIM_TESTS   := $(sort $(wildcard $(SIM_ROOMS:%=tests/host/%/*.c)))
EFI_TESTS   := $(sort $(wildcard tests/host/efi/*.c))
HOST_FAKES  := $(sort $(wildcard tests/host/fakes/fake_*.c))
FAKE_CPU    := $(addprefix tests/host/fakes/,fake_cpu.c fake_guest.c)
# The hypervisor over the model; what is the machine itself is played.
PLAYED      := $(addprefix tests/silicon/hypervisor/,host/host_tables.c host/log.c \
                   guest/vcpu.c host/x86.c)
HOST_HYPERVISOR := $(MODEL) $(FAKE_CPU) $(filter-out $(PLAYED),$(HYPERVISOR))
HOST_CORE   := $(filter-out src/session/case_list.c $(CASES),$(CORE))
host_object = $(addprefix $(B)/host/,$(addsuffix .o,$(1)))
HOST_BINARIES := $(addprefix $(B)/,$(basename $(HOST_TESTS) $(SIM_TESTS) \
                                              $(EFI_TESTS)))

$(B)/host/%.c.o: %.c | $(GENERATED) $(FOR_TEST)
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) $(SAN) $(WARN) -I. -I$(B)/gen $(DEPS) -c $< -o $@
define link_host
	@mkdir -p $(@D)
	@echo "  link $@"
	@$(CC) $(SAN) $(LOW) $^ -lcmocka -o $@
endef
$(HOST_TESTS:%.c=$(B)/%): $(B)/%: $(B)/host/%.c.o \
        $(call host_object,$(HOST_CORE) $(filter-out $(FAKE_CPU),$(HOST_FAKES)))
	$(link_host)
# The bodies of cases, over a device of its own.
$(B)/tests/host/cases/memory/memory_cases $(B)/tests/host/cases/memory/memory_figure_cases: \
        $(call host_object,$(wildcard src/cases/memory/*.c))
$(B)/tests/host/cases/counting/counting_cases: $(call host_object,$(wildcard \
    src/cases/counting/*.c))
$(B)/tests/host/cases/counting/counting_answer_cases: $(call host_object,$(addprefix \
    src/cases/counting/,microcode_signature.c perf_capabilities.c \
    rdpmc_indices.c))
$(B)/tests/host/cases/counting/counting_branch_cases: $(call host_object,$(addprefix \
    src/cases/counting/,branch_kinds.c counter_rep.c))
$(B)/tests/host/cases/counting/counting_ring_cases: $(call host_object,$(addprefix \
    src/cases/counting/counter_,inner_rings.c privilege.c))
$(B)/tests/host/cases/counting/counting_mixed_cases: $(call host_object,$(addprefix \
    src/cases/counting/,counters_mixed.c pmi_in_contexts.c rdpmc_ring3.c))
$(B)/tests/host/cases/counting/counting_any_cases: $(call host_object,\
    src/cases/counting/counter_any_thread.c)
$(B)/tests/host/cases/counting/counting_pair_cases: $(call host_object,\
    src/cases/counting/counter_thread_scope.c)
$(B)/tests/host/cases/counting/counting_event_cases: $(call host_object,$(addprefix \
    src/cases/,counting/counter_enumeration.c memory/memory_counts.c))
$(B)/tests/host/cases/counting/counting_group_cases: $(call host_object,\
    src/cases/counting/events_in_groups.c)
$(B)/tests/host/cases/counting/counting_metrics_cases: $(call host_object,\
    src/cases/counting/perf_metrics.c)
$(B)/tests/host/cases/counting/counting_context_cases: $(call host_object,\
    src/cases/counting/events_in_contexts.c)
$(B)/tests/host/cases/counting/counting_third_pair_cases: $(call host_object,\
    src/cases/counting/counter3_other_processor.c)
$(B)/tests/host/cases/counting/counting_third_cases: $(call host_object,$(addprefix \
    src/cases/counting/,counter3_any_force_abort.c counter3_counts_alone.c \
    counter3_counts_force_abort.c counter3_counts_sdv.c \
    counter3_counts_under_rtm.c))
$(B)/tests/host/cases/counting/counting_third_held_cases: $(call host_object,\
    $(addprefix src/cases/counting/,counter3_overflow.c counter3_provoked.c \
    counter3_registers_hold.c counter_count_constant.c counters_above_3.c))
$(B)/tests/host/cases/uncore/uncore_cases: $(call host_object,\
    $(wildcard src/cases/uncore/*.c))
$(B)/tests/host/cases/uncore/uncore_part_cases: $(call host_object,\
    src/cases/uncore/uncore_pmi.c)
$(B)/tests/host/cases/uncore/uncore_select_cases: $(call host_object,\
    src/cases/uncore/uncore_selects.c)
$(B)/tests/host/cases/uncore/uncore_bound_cases: $(call host_object,$(addprefix \
    src/cases/uncore/uncore_,arb.c cboxes.c overflow.c))
$(B)/tests/host/cases/uncore/snoop_cases: $(call host_object,\
    $(wildcard src/cases/uncore/*_snoops.c))
$(B)/tests/host/cases/hle/hle_cases: $(call host_object,$(addprefix \
    src/cases/hle/,hle_elision.c hle_mismatch.c hle_never_elides.c))
$(B)/tests/host/cases/hle/hle_nest_cases: $(call host_object,$(addprefix \
    src/cases/hle/,hle_abort_state.c hle_nesting.c hle_prefixes.c))
$(B)/tests/host/cases/hle/hle_count_cases: $(call host_object,$(addprefix \
    src/cases/hle/,hle_elision.c hle_never_elides.c))
$(B)/tests/host/cases/hle/hle_lock_cases: $(call host_object,\
    $(wildcard src/cases/hle/hle_lock_*.c))
$(B)/tests/host/cases/lbr/lbr_cases: $(call host_object,$(addprefix \
    src/cases/lbr/,lbr_filter.c lbr_registers.c lbr_stack.c \
    lbr_transactions.c))
$(B)/tests/host/cases/lbr/lbr_event_cases: $(call host_object,$(addprefix \
    src/cases/lbr/,lbr_events.c lbr_while_tracing.c))
$(B)/tests/host/cases/lbr/lbr_freeze_cases: $(call host_object,\
    src/cases/lbr/lbr_freeze_on_pmi.c)
$(B)/tests/host/cases/lbr/lbr_cases $(B)/tests/host/cases/lbr/lbr_event_cases \
$(B)/tests/host/cases/lbr/lbr_freeze_cases: $(call host_object,$(wildcard \
    tests/host/fakes/lbr_*.c))
$(B)/tests/host/cases/tsx/tsx_cases: $(call host_object,$(addprefix \
    src/cases/tsx/tsx_,commit.c nesting.c xabort_codes.c xend_outside.c xtest.c))
$(B)/tests/host/cases/tsx/tsx_abort_cases: $(call host_object,$(addprefix \
    src/cases/tsx/tsx_,abort_status.c aborting_instructions.c \
    exceptions_abort.c))
$(B)/tests/host/cases/tsx/tsx_count_cases: $(call host_object,$(addprefix \
    src/cases/tsx/,tsx_mem_events.c tsx_retired_events.c))
$(B)/tests/host/cases/tsx/tsx_default_cases: $(call host_object,$(addprefix \
    src/cases/tsx/,always_abort_default.c tsx_cpuid_clear.c))
$(B)/tests/host/cases/tsx/tsx_force_cases: $(call host_object,\
    $(addprefix src/cases/tsx/,force_abort_aborts_all.c \
    force_abort_scope_2021.c force_abort_thread_scope.c force_abort_values.c \
    sdv_enable_rtm.c))
$(B)/tests/host/cases/tsx/tsx_ctrl_cases: $(call host_object,$(addprefix \
    src/cases/tsx/,tsx_ctrl_disable.c tsx_mcu_opt_ctrl.c))
$(B)/tests/host/cases/tsx/tsx_conflict_cases \
$(B)/tests/host/cases/tsx/tsx_conflict_line_cases: $(call host_object,$(addprefix \
    src/cases/tsx/tsx_,conflict_read.c conflict_retry.c conflict_write.c \
    load_tracking.c))
$(B)/tests/host/cases/tsx/tsx_tracking_cases: $(call host_object,\
    src/cases/tsx/tsx_load_tracking.c)
$(B)/tests/host/cases/tsx/tsx_state_cases: $(call host_object,\
    $(addprefix src/cases/tsx/tsx_,abort_state.c xabort_outside.c))
$(B)/tests/host/cases/tsx/tsx_capacity_cases: $(call host_object,$(addprefix \
    src/cases/tsx/tsx_,read_capacity.c write_capacity.c))
$(B)/tests/host/cases/tsx/tsx_rollback_cases: $(call host_object,\
    src/cases/tsx/tsx_rollback_bytes.c)
$(B)/tests/host/cases/tsx/tsx_debug_cases: $(call host_object,\
    src/cases/tsx/tsx_debug_advanced.c)
$(B)/tests/host/cases/tsx/tsx_breakpoint_cases: $(call host_object,\
    src/cases/tsx/tsx_debug_breakpoint.c)
$(B)/tests/host/cases/tsx/tsx_in_tx_cases: $(call host_object,\
    src/cases/tsx/tsx_in_tx_counts.c)
$(B)/tests/host/cases/tsx/tsx_interrupt_cases: $(call host_object,\
    src/cases/tsx/tsx_interrupt_abort.c)
$(B)/tests/host/cases/tsx/tsx_pair_cases: $(call host_object,$(addprefix \
    src/cases/tsx/tsx_,commit_atomic.c lock_elision.c))
$(B)/tests/host/cases/tsx/tsx_conflict_event_cases: $(call host_object,\
    src/cases/tsx/tsx_conflict_events.c)
$(B)/tests/host/cases/tsx/tsx_ring3_cases: $(call host_object,\
    src/cases/tsx/tsx_ring3.c)
$(B)/tests/host/cases/tsx/tsx_ring3_state_cases: $(call host_object,\
    src/cases/tsx/tsx_ring3_state.c)
$(B)/tests/host/cases/pebs/pebs_cases: $(call host_object,$(addprefix \
    src/cases/pebs/pebs_,adaptive_groups.c applicable_counter.c counter3.c \
    enable_bits.c events.c record_layout.c reload.c tsc.c))
$(B)/tests/host/cases/pebs/pebs_buffer_cases: $(call host_object,$(addprefix \
    src/cases/pebs/pebs_,buffer_bounds.c buffer_full.c decode_golden.c \
    eventing_ip.c stop_order.c threshold_pmi.c)) \
    $(call host_object,src/cases/lbr/lbr_freeze_on_pebs.c)
$(B)/tests/host/cases/pebs/pdir_cases: $(call host_object,\
    $(wildcard src/cases/pebs/pdir_*.c))
$(B)/tests/host/cases/pebs/pebs_ring_cases: $(call host_object,\
    src/cases/pebs/pebs_ring3.c)
$(B)/tests/host/cases/pebs/pebs_context_cases: $(call host_object,\
    src/cases/pebs/pebs_in_contexts.c)
$(B)/tests/host/cases/pebs/pebs_adaptive_cases: $(call host_object,$(addprefix \
    src/cases/pebs/pebs_,adaptive_groups.c events.c))
$(B)/tests/host/cases/pebs/pebs_register_cases: $(call host_object,\
    src/cases/pebs/pebs_registers.c)
$(B)/tests/host/cases/pebs/pebs_hle_cases: $(call host_object,\
    src/cases/pebs/pebs_hle_abort.c)
$(B)/tests/host/cases/pebs/pebs_fixed_cases: $(call host_object,\
    src/cases/pebs/pebs_fixed_counters.c)
$(B)/tests/host/cases/pebs/pebs_abort_cases: $(call host_object,$(addprefix \
    src/cases/pebs/pebs_,inside_tx.c tx_abort.c tx_conflict.c tx_cycles.c))
$(B)/tests/host/cases/pt/golden_cases: $(call host_object, \
    src/cases/pt/pt_decode_golden.c)
$(B)/tests/host/cases/pt/absent_cases: $(call host_object, \
    src/cases/pt/pt_absent.c)
# Those that try registers, bit by bit.
REGISTER_CASES := $(addprefix src/cases/,$(addsuffix .c, \
    counting/counter3_full_width_alias counting/counter_registers \
    counting/counter_reserved_bits counting/fixed_counter_writes \
    counting/global_status_set pebs/pebs_registers \
    pebs/pebs_registers_apart \
    tsx/force_abort_enumeration tsx/tsx_in_txcp_counter2))
$(B)/tests/host/cases/register_cases: $(call host_object,$(REGISTER_CASES))
$(B)/tests/host/pt/vector: $(call host_object,$(PT_MAP))
# All of them, for what they say of themselves; no case is run there.
NEEDS_ASM := $(filter-out $(addprefix asm/,exception_entry.asm hw.asm \
                 memory_windows.asm),$(sort $(wildcard asm/*.asm)))
$(B)/tests/host/cases/needs_cases: $(call host_object,$(CASES)) \
    $(NEEDS_ASM:%=$(B)/bare/%.o)
# Those that trace code of asm/, by the simulated processor, which shares no name
# with src/; a function that runs such code is under another name then.
STEPPED    := trace_gates trace_window trace_window_gates \
              trace_window_segments tsx_inside tsx_outside tsx_watched \
              rtm_store hle_xchg hle_other_value hle_again hle_stores \
              ring3_read ring3_load ring3_rdpmc window_ring3 \
              window_ring3_body window_ring3_tx pebs_window
$(B)/traced/asm/%.o: $(B)/bare/asm/%.o Makefile
	@mkdir -p $(@D)
	@objcopy $(foreach name,$(STEPPED),--redefine-sym $(name)=stepped_$(name)) $< $@
$(B)/traced/model.o: $(call host_object,$(MODEL) \
        $(wildcard tests/host/fakes/traced_*.c)) Makefile
	@mkdir -p $(@D)
	@ld -r $(filter %.o,$^) -o $@
	@objcopy -w $(foreach name,'traced_*' $(STEPPED),-G $(name)) $@
PT_TX      := $(wildcard $(addprefix src/cases/pt/pt_,*tx*.c rtm_*.c hle_*.c \
                  nested*.c no_branch*.c aborted*.c transaction_*.c forced*.c))
PT_OUTPUT  := $(filter-out $(PT_TX),$(wildcard $(addprefix src/cases/pt/pt_, \
                  psb*.c timing.c ra*.c topa*.c output*.c pmi*.c cycles.c)))
PT_FLOW    := $(filter-out $(PT_TX) $(PT_OUTPUT),$(wildcard src/cases/pt/*.c))
$(B)/tests/host/cases/pt/pt_ring3_cases: $(call host_object,$(addprefix \
    src/cases/pt/,pt_ptwrite_ring3.c pt_ring3.c pt_ring3_tx.c))
$(B)/tests/host/cases/pt/pt_tx_cases: $(call host_object,$(PT_TX))
$(B)/tests/host/cases/pt/pt_output_cases: $(call host_object,$(PT_OUTPUT))
$(B)/tests/host/cases/pt/pt_flow_cases: $(call host_object,$(PT_FLOW))
$(B)/tests/host/cases/pt/pt_rows_cases: $(call host_object,$(addprefix \
    src/cases/pt/,pt_ip_compression.c pt_mode_exec.c))
$(B)/tests/host/cases/pt/pt_pair_cases: $(call host_object,\
    src/cases/pt/pt_rtm_abort_conflict.c)
$(addprefix $(B)/tests/host/cases/pt/,pt_ring3_cases pt_rows_cases): LOW := -no-pie
$(patsubst %.c,$(B)/%,$(wildcard tests/host/cases/pt/pt_*_cases.c)): \
    $(B)/traced/model.o $(NEEDS_ASM:%=$(B)/traced/%.o)
# The reader of reports; what a machine would answer is played.
REPORT_READER := $(filter-out %/regime_again.c,$(sort $(wildcard host/report/*.c)))
$(B)/host/host/%.c.o $(B)/host/tests/host/tool/%.c.o: SAN += -D_GNU_SOURCE
$(patsubst %.c,$(B)/%,$(wildcard tests/host/tool/*.c)): \
    $(call host_object,$(REPORT_READER))
$(B)/tests/host/instructions/%: $(B)/host/tests/host/instructions/%.c.o \
                                $(call host_object,$(INSTRUCTIONS))
	$(link_host)
$(B)/tests/host/model/%: $(B)/host/tests/host/model/%.c.o \
                         $(call host_object,$(MODEL))
	$(link_host)
$(B)/tests/host/hypervisor/%: $(B)/host/tests/host/hypervisor/%.c.o \
                              $(call host_object,$(HOST_HYPERVISOR)) \
                              $(call object,tests/silicon/hypervisor/stepping/here.asm)
	$(link_host)
$(B)/tests/host/boot/%: $(B)/host/tests/host/boot/%.c.o \
        $(call host_object,$(MODEL) tests/silicon/boot/config.c)
	$(link_host)
# Of efi/, what decides: over a firmware that is the test's own.
$(B)/host/tests/host/efi/%.c.o: SAN += $(EFI_INC)
$(B)/tests/host/efi/%: $(B)/host/tests/host/efi/%.c.o \
                       $(call host_object,src/base/text.c)
	$(link_host)
.PRECIOUS: $(B)/host/%.c.o

BOOTED    := $(B)/clocks.efi $(B)/dirty.efi $(B)/odd_firmware.efi $(B)/rewrites.efi $(B)/strict.img $(B)/silicon.img clang
SNAPSHOTS := $(B)/smp1.state $(B)/smp2.state $(B)/smp4.state
$(B)/smp%.state: $(B)/silicon.efi $(B)/tsxpmu.img scripts/run.py \
                tests/qemu.py tests/volume.py
	@$(PYTHON) scripts/run.py --silicon $< --image $(B)/tsxpmu.img --smp $* \
	    --snapshot $@

CHECK = @$(PYTHON) tests/check.py
test host lint boot: | $(FOR_TEST)
test: all $(BOOTED) $(B)/tsxpmu.img $(HOST_BINARIES) $(MAN_PAGES) $(SNAPSHOTS)
	$(CHECK) host lint boot
host: $(HOST_BINARIES) $(MAN_PAGES)
	$(CHECK) host
lint: all clang $(B)/tsxpmu.img $(B)/silicon.img
	$(CHECK) lint
boot: $(BOOTED) $(B)/tsxpmu.img $(SNAPSHOTS)
	$(CHECK) boot
soak: $(B)/tsxpmu.img $(SNAPSHOTS)
	@TRIALS=$(TRIALS) SEEDS=$(SEEDS) BOOTS=$(BOOTS) THREADS=$(THREADS) \
	    SOLD=$(SOLD) FROM=$(FROM) CPUS="$(CPUS)" JOBS=$(JOBS) \
	    $(PYTHON) tests/check.py soak
faults: $(B)/tsxpmu.img $(B)/silicon.efi
	@FAULTS="$(FAULTS)" TESTS="$(TESTS)" TRIALS=$(TRIALS) ROWS=$(ROWS) \
	    $(PYTHON) tests/check.py faults
claims:
	@SEEDS="$(SEEDS)" $(PYTHON) tests/check.py claims
observed: $(B)/tsxpmu.img $(B)/smp2.state
	@TESTS="$(TESTS)" CPUS="$(CPUS)" $(PYTHON) tests/check.py observed
# What a mutant is compiled and linked with, and beside. The unit tests share
# what they test, there, as a library; labels that are a distance apart are in
# each program, as the linker copies variables of a library one by one.
PIC := $(addprefix $(B)/pic/,$(addsuffix .o,$(HOST_CORE) \
           $(filter-out $(FAKE_CPU) %/fake_windows.c \
           %/fake_record_windows.c,$(HOST_FAKES))))
$(B)/pic/%.c.o: %.c | $(GENERATED) $(FOR_TEST)
	@mkdir -p $(@D)
	@echo "  cc $@"
	@$(CC) $(SAN) $(WARN) -fPIC -I. -I$(B)/gen $(DEPS) -c $< -o $@
mutants: $(B)/tsxpmu.img $(SNAPSHOTS) $(PIC) \
         $(addprefix $(B)/,$(basename $(HOST_TESTS)))
	@COUNT="$(COUNT)" SEED=$(SEED) ROOM="$(ROOM)" \
	    MUTANTS_CC="$(CC) $(BARE) $(CORE_INC) -I. -I$(B)/gen" \
	    MUTANTS_HOST_CC="$(CC) $(SAN) -fPIC -I. -I$(B)/gen" \
	    MUTANTS_PIC="$(PIC)" MUTANTS_OBJECTS="$(call object,$(APP))" \
	    MUTANTS_HOST_TESTS="$(addprefix $(B)/,$(basename $(HOST_TESTS)))" \
	    MUTANTS_LINK="$(LINK)" MUTANTS_SECTIONS="$(SECTIONS)" \
	    $(PYTHON) tests/check.py mutants
deviations: COUNT = 50
deviations: $(B)/tsxpmu.img $(B)/silicon.efi
	@COUNT="$(COUNT)" SEED=$(SEED) MUTANTS_OBJECTS="$(call object,$(SIM))" \
	    MUTANTS_CC="$(CC) $(BARE) $(EFI_INC) -I. -I$(B)/gen" \
	    MUTANTS_LINK="$(LINK_SIM)" MUTANTS_SECTIONS="$(SECTIONS)" \
	    $(PYTHON) tests/check.py deviations
powercut: $(B)/tsxpmu.img $(B)/silicon.efi
	@KILLS=$(KILLS) SEED=$(SEED) $(PYTHON) tests/check.py powercut
unchanged:
	@SINCE=$(SINCE) TRIALS=$(TRIALS) $(PYTHON) tests/check.py unchanged
same: $(B)/tsxpmu.img $(B)/silicon.efi
	$(CHECK) same
scale: $(B)/tsxpmu.img $(B)/silicon.efi
	$(CHECK) scale
sweep: $(B)/tsxpmu.img $(SNAPSHOTS)
	@STEP=$(STEP) $(PYTHON) tests/check.py sweep
figures: all $(B)/tsxpmu.img $(B)/costs.efi
	$(CHECK) figures
distributions: | $(FOR_LAB)
	@$(PYTHON) tests/distributions.py $(addprefix --only=,$(ONLY)) \
	    $(addprefix --goal=,$(GOAL))
damage: $(B)/bench/damage
	@$(B)/bench/damage $(SEED)
# Instructions are those of the whole function, what it calls included.
BENCHED := packets_ours packets_libipt transitions_ours transitions_libipt
bench: $(BENCH:tests/%.c=$(B)/%) $(B)/tsxpmu
	@$(B)/bench/pebs >$(B)/bench/pebs.log
	@cat $(B)/bench/pebs.log
	@$(B)/bench/pt >$(B)/bench/pt.log
	@cat $(B)/bench/pt.log
	@$(B)/bench/pt trace >$(B)/bench/trace
	@$(PYTHON) tests/bench/threads.py $(B)/bench/trace >$(B)/bench/threads.log
	@cat $(B)/bench/threads.log
	@for what in $(BENCHED); do \
	    packets=$$(valgrind --tool=callgrind --toggle-collect=$$what \
	        --callgrind-out-file=/dev/null $(B)/bench/pt $$what \
	        2>$(B)/bench/callgrind.log); \
	    awk -v what=$$what -v packets=$$packets '/Collected/ { printf \
	        "%-22s %7.1f instructions a packet\n", what, $$NF / packets }' \
	        $(B)/bench/callgrind.log; \
	done >$(B)/bench/instructions.log
	@cat $(B)/bench/instructions.log
	@cd $(B)/bench && cat pebs.log pt.log threads.log instructions.log >figures.log
	@[ "$(WRITE)" != 1 ] || $(PYTHON) tests/figures.py bench $(B)/bench/figures.log

# --- Documents -----------------------------------------------------------------

# Pictures, from text. Without the version of what has drawn them.
DRAW = dot -Tsvg -o $@.part
PUT  = sed -i '/^<!-- Generated by/,/-->$$/d' $@.part && mv $@.part $@
ROOMS = docs/rooms.svg docs/silicon_rooms.svg
docs: $(ROOMS) docs/boot.svg
$(ROOMS): %.svg: %.txt scripts/rooms.py | $(FOR_LAB)
	@scripts/rooms.py $< >$(B)/$(*F).dot
	@$(DRAW) $(B)/$(*F).dot
	@$(PUT)
docs/%.svg: docs/%.dot | $(FOR_LAB)
	@$(DRAW) $<
	@$(PUT)

# Not part of `make test`: nothing else needs clang. Each target has ten
# seconds and the same seed in every run.
FUZZ := $(patsubst tests/%.c,$(B)/%,$(sort $(wildcard tests/fuzz/*.c)))
FUZZED := $(PURE) src/base/words.c src/cpu/microcode_file.c src/cpu/machine.c $(sort $(wildcard src/options/*.c))
$(B)/fuzz/%: tests/fuzz/%.c $(FUZZED) \
             $(wildcard src/*/*.h src/*/*.inc tests/pt/*.h) \
             | $(GENERATED) $(FOR_LAB)
	@mkdir -p $(@D)
	@echo "  clang $@"
	@clang -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all -D_GNU_SOURCE -I. -I$(B)/gen \
	    $(filter %.c,$^) -o $@
$(B)/fuzz/report: $(REPORT_READER) src/base/crc.c src/harness/verdict.c
fuzz: $(FUZZ)
	@for target in $^; do \
	    ./$$target -seed=1 -max_total_time=10 -max_len=1024 -timeout=5 \
	        -artifact_prefix=$$target- -print_final_stats=1 \
	        >$$target.log 2>&1 || { cat $$target.log; exit 1; }; \
	    echo "  fuzz $$target: $$(grep -o 'units: *[0-9]*' $$target.log)"; \
	done

clean:
	rm -rf $(B)

# All of them take a second to be read, which the many `make -n` of the checks do not need.
ifndef NO_HEADERS
-include $(patsubst %,%.d,$(call object,$(APP) $(SIM)) \
           $(call hosted_object,$(TOOL) $(BENCH) tests/bench/libipt.c) \
           $(PIC) $(call host_object,$(CORE) $(HOST_HYPERVISOR) $(HOST_FAKES) \
               $(wildcard $(addprefix tests/host/fakes/,lbr_*.c traced_*.c)) \
               tests/silicon/boot/config.c $(REPORT_READER) $(PT_MAP) \
               $(HOST_TESTS) $(SIM_TESTS) $(EFI_TESTS)))
endif
