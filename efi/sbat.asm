; SPDX-License-Identifier: BSD-2-Clause
;
; sbat.asm - what shim asks of an image it is to start: a component and its
; generation, which rises when an older one must no longer be started.
;
; shim, SBAT.md: CSV of six columns, the section is exactly as long as it.

%include "version.inc"

section .sbat alloc noexec nowrite align=1

        db "sbat,1,SBAT Version,sbat,1,"
        db "https://github.com/rhboot/shim/blob/main/SBAT.md", 10
        db "tsxpmu,1,tsxpmu,tsxpmu,", TSXPMU_RELEASE, ",none", 10
