# SPDX-License-Identifier: BSD-2-Clause
#
# pt.awk - makes of the lines of pt-*.txt the tables that src/pt/golden.c
# includes: the packets of each stream, and its transitions.

function address(word) {
    return word == "-" ? "false, 0" : "true, " word
}
FNR == 1 {
    stream = FILENAME
    gsub(/.*pt-|\.txt$/, "", stream)
}
/^#/ || NF == 0 { next }
/^>/ {
    printf "EVENT(\"%s\", \"%s\", %s, %s, %s, %s)\n", stream, $2, $3,
        address($5), address($7), address($9)
    next
}
{
    bytes = ""
    for (i = 1; $i ~ /^[0-9a-f][0-9a-f]$/; i++)
        bytes = bytes ", 0x" $i
    printf "PACKET(\"%s\", \"%s\", %s, %s, %d%s)\n", stream, $i, $(i + 1),
        $(i + 2), i - 1, bytes
}
