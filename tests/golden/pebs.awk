# SPDX-License-Identifier: BSD-2-Clause
#
# pebs.awk - makes of the lines of pebs-format*.txt the table that
# src/pebs/pebs_golden.c includes: format, offset, name, value, words, bytes.

FNR == 1 {
    format = FILENAME
    gsub(/.*pebs-format|\.txt$/, "", format)
}
/^#/ || NF == 0 { next }
{
    bytes = ""
    for (i = 1; i <= 8; i++)
        bytes = bytes ", 0x" $i
    offset = $9
    sub(/H$/, "", offset)
    rest = $0
    sub(/^.*[0-9A-F]H /, "", rest)
    split(rest, halves, / = /)
    words = index(halves[2], " : ") ? halves[2] : ""
    sub(/^.* : /, "", words)
    split(halves[2], value, / /)
    printf "GOLDEN(%s, 0x%s, \"%s\", %s, \"%s\"%s)\n", format, offset,
        halves[1], value[1], words, bytes
}
