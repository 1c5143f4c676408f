/* SPDX-License-Identifier: BSD-2-Clause */
/* network.c - TFTP by firmware's PXE base code. */
#include "efi/network.h"

#include "efi/platform.h"
#include "efi/start.h"
#include "src/base/text.h"

#define MAC_BYTES 6

/* What started the program; NULL: it was no network. */
static EFI_PXE_BASE_CODE *base_code(void)
{
    EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL,
             guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &image_guid);
    EFI_PXE_BASE_CODE *pxe = NULL;

    if (image != NULL && image->DeviceHandle != NULL)
        pxe = platform_protocol(image->DeviceHandle, &guid);
    return pxe != NULL && pxe->Mode != NULL && pxe->Mode->Started &&
                   pxe->Mode->DhcpAckReceived && !pxe->Mode->UsingIpv6
               ? pxe
               : NULL;
}

static bool take(EFI_IP_ADDRESS *out, const EFI_PXE_BASE_CODE_PACKET *packet)
{
    memcpy(out->v4.Addr, packet->Dhcpv4.BootpSiAddr, sizeof(out->v4.Addr));
    return (out->v4.Addr[0] | out->v4.Addr[1] | out->v4.Addr[2] |
            out->v4.Addr[3]) != 0;
}

/* The next server: of the reply of a boot server, of a proxy, of DHCP. */
static bool server_of(const EFI_PXE_BASE_CODE_MODE *mode, EFI_IP_ADDRESS *out)
{
    memset(out, 0, sizeof(*out));
    return (mode->PxeReplyReceived && take(out, &mode->PxeReply)) ||
           (mode->ProxyOfferReceived && take(out, &mode->ProxyOffer)) ||
           take(out, &mode->DhcpAck);
}

/* *bytes: of the buffer; after reading, of the file. */
static EFI_STATUS transfer(EFI_PXE_BASE_CODE *pxe,
                           EFI_PXE_BASE_CODE_TFTP_OPCODE what, const char *name,
                           void *buffer, size_t *bytes)
{
    UINT64 size = *bytes;
    EFI_IP_ADDRESS server;
    char copy[NETWORK_NAME_BYTES];

    if (!server_of(pxe->Mode, &server))
        return EFI_NOT_FOUND;
    text_format(copy, sizeof(copy), "%s", name);
    EFI_STATUS status = pxe->Mtftp(pxe, what, buffer, TRUE, &size, NULL,
                                   &server, (UINT8 *)copy, NULL, FALSE);
    *bytes = size;
    return status;
}

size_t network_read(const char *name, char *text, size_t bytes)
{
    EFI_PXE_BASE_CODE *pxe = base_code();
    size_t count = bytes;

    if (pxe == NULL || EFI_ERROR(transfer(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE,
                                          name, text, &count)))
        return 0;
    return count < bytes ? count : bytes;
}

/* 525400123456 */
static void name_card(const EFI_PXE_BASE_CODE *pxe, char *out, size_t bytes)
{
    const uint8_t *mac = pxe->Mode->DhcpAck.Dhcpv4.BootpHwAddr;
    size_t at = 0;

    for (unsigned i = 0; i < MAC_BYTES; i++)
        at += text_format(out + at, bytes - at, "%02x", mac[i]);
}

const char *network_send(const char *who, const char *text, size_t bytes,
                         char name[NETWORK_NAME_BYTES])
{
    EFI_PXE_BASE_CODE *pxe = base_code();
    char card[2 * MAC_BYTES + 1];

    name[0] = '\0';
    if (pxe == NULL)
        return "the program was not started by PXE over IPv4";
    if (who[0] == '\0') {
        name_card(pxe, card, sizeof(card));
        who = card;
    }
    text_format(name, NETWORK_NAME_BYTES, "tsxpmu-%s.log", who);
    switch (transfer(pxe, EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, name,
                     (void *)(uintptr_t)text, &bytes)) {
    case EFI_SUCCESS:
        return NULL;
    case EFI_UNSUPPORTED:
        return "this firmware, or iPXE, writes no files by TFTP";
    case EFI_TFTP_ERROR:
        return "the TFTP server refuses it";
    case EFI_TIMEOUT:
        return "the TFTP server does not answer";
    default:
        return "firmware's network fails";
    }
}
