# SPDX-License-Identifier: BSD-2-Clause
#
# make help says what there is. Everything made is below build/.

CPU   ?= skylake-2018
SMP   ?= 2
SMT   ?= on
SEED  ?= 1
FAULT ?=
TRIALS ?=
TESTS ?=

B := build
# The interpreter of Debian, whatever else PATH holds first.
PYTHON := /usr/bin/python3

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Wundef -Wvla -Werror
# Code that runs on firmware's stack, without an operating system, at any address.
BARE := -std=c11 -O2 -g -ffreestanding -fpic -fvisibility=hidden -fshort-wchar \
        -mno-red-zone -mgeneral-regs-only -fno-stack-protector \
        -fno-strict-aliasing -fno-asynchronous-unwind-tables \
        -fcf-protection=none
EFI_INC := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 \
           -DGNU_EFI_USE_MS_ABI
CORE_INC := -nostdinc -isystem $(shell $(CC) -print-file-name=include)
DEPS = -MMD -MP -MF $@.d

.PHONY: all help
all: $(B)/tsxpmu.efi $(B)/silicon.efi

# --- What is built from what -------------------------------------------------

CASES := $(sort $(wildcard src/cases/*.c))
CORE  := $(sort $(wildcard src/*.c src/*/*.c))
APP   := $(CORE) $(sort $(wildcard efi/*.c asm/*.c efi/*.asm asm/*.asm))
MODEL := $(sort $(wildcard tests/silicon/model/*.c tests/silicon/personalities/*.c))
SIM   := $(MODEL) $(sort $(wildcard tests/silicon/*.c tests/silicon/*.asm)) \
         efi/entry.asm efi/start.c
object = $(addprefix $(B)/bare/,$(addsuffix .o,$(1)))

# The list of tests is the list of files in src/cases/.
$(B)/gen/cases.inc: $(CASES) | $(B)/gen
	@for f in $(notdir $(CASES:.c=)); do echo "CASE($$f)"; done >$@

# The list of personalities is the list of files in tests/silicon/personalities/.
PERSONALITIES := $(notdir $(basename $(sort $(wildcard tests/silicon/personalities/*.c))))
$(B)/gen/personalities.inc: $(wildcard tests/silicon/personalities/*.c) | $(B)/gen
	@for f in $(subst -,_,$(PERSONALITIES)); do echo "PERSONALITY($$f)"; done >$@

GENERATED := $(B)/gen/cases.inc $(B)/gen/personalities.inc
$(B)/gen:
	@mkdir -p $@

$(B)/bare/src/%.c.o: src/%.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(BARE) $(WARN) $(CORE_INC) -I. -I$(B)/gen $(DEPS) -c $< -o $@
$(B)/bare/%.c.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(BARE) $(WARN) $(EFI_INC) -I. -I$(B)/gen $(DEPS) -c $< -o $@
$(B)/bare/%.asm.o: %.asm
	@mkdir -p $(@D)
	nasm -f elf64 -g -F dwarf -w+all -I$(<D)/ -MD $@.d $< -o $@

LINK = ld -nostdlib -znocombreloc -zmax-page-size=4096 -znoexecstack -shared \
       -Bsymbolic --no-undefined -T efi/efi.lds
SECTIONS := $(addprefix -j ,.text .rodata .reloc .data .dynamic .rela .dynsym)

$(B)/tsxpmu.so: $(call object,$(APP)) efi/efi.lds
	$(LINK) $(filter %.o,$^) -o $@
$(B)/silicon.so: $(call object,$(SIM)) efi/efi.lds
	$(LINK) $(filter %.o,$^) -o $@
$(B)/%.efi: $(B)/%.so
	objcopy -S $(SECTIONS) --target efi-app-x86_64 --subsystem=10 $< $@

-include $(patsubst %,%.d,$(call object,$(APP) $(SIM)))
