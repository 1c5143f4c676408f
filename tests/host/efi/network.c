/* SPDX-License-Identifier: BSD-2-Clause */
/* network.c - which server is asked, by what name, and what is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "efi/network.c"

EFI_HANDLE platform_image;
EFI_SYSTEM_TABLE *platform_system;
EFI_BOOT_SERVICES *platform_boot;

static EFI_LOADED_IMAGE image;
static EFI_PXE_BASE_CODE pxe;
static EFI_PXE_BASE_CODE_MODE mode;
static bool there;

/* Of the last transfer, and what it gives. */
static EFI_PXE_BASE_CODE_TFTP_OPCODE what;
static uint8_t server[4];
static char name[NETWORK_NAME_BYTES], sent[16];
static EFI_STATUS answer;
static unsigned transfers;

void *platform_protocol(EFI_HANDLE handle, const EFI_GUID *guid)
{
    const EFI_GUID loaded = LOADED_IMAGE_PROTOCOL;

    (void)handle;
    if (memcmp(guid, &loaded, sizeof(loaded)) == 0)
        return &image;
    return there ? &pxe : NULL;
}

static EFI_STATUS EFIAPI mtftp(EFI_PXE_BASE_CODE *this,
                               EFI_PXE_BASE_CODE_TFTP_OPCODE operation,
                               void *buffer, BOOLEAN overwrite, UINT64 *bytes,
                               UINTN *block, EFI_IP_ADDRESS *ip, UINT8 *file,
                               EFI_PXE_BASE_CODE_MTFTP_INFO *info, BOOLEAN none)
{
    assert_ptr_equal(this, &pxe);
    assert_null(block);
    assert_null(info);
    assert_true(overwrite);
    assert_false(none);
    transfers++;
    what = operation;
    memcpy(server, ip->v4.Addr, sizeof(server));
    text_format(name, sizeof(name), "%s", (const char *)file);
    if (what == EFI_PXE_BASE_CODE_TFTP_READ_FILE) {
        memcpy(buffer, "trials=5", 8);
        *bytes = 8;
    } else {
        assert_true(*bytes < sizeof(sent));
        memcpy(sent, buffer, *bytes);
    }
    return answer;
}

static void start(void)
{
    static const uint8_t mac[] = {0x52, 0x54, 0, 0x77, 0, 0x0a};
    static const uint8_t of_dhcp[] = {10, 0, 0, 1};

    memset(&mode, 0, sizeof(mode));
    image.DeviceHandle = &image;
    pxe.Mode = &mode;
    pxe.Mtftp = mtftp;
    mode.Started = mode.DhcpAckReceived = TRUE;
    memcpy(mode.DhcpAck.Dhcpv4.BootpHwAddr, mac, sizeof(mac));
    memcpy(mode.DhcpAck.Dhcpv4.BootpSiAddr, of_dhcp, sizeof(of_dhcp));
    there = true;
    answer = EFI_SUCCESS;
    transfers = 0;
}

static const char *send(const char *who)
{
    char at[NETWORK_NAME_BYTES];

    return network_send(who, "report", 6, at);
}

static void by_network_alone(void **state)
{
    char text[16];

    (void)state;
    start();
    there = false;
    assert_int_equal(network_read("tsxpmu.cfg", text, sizeof(text)), 0);
    assert_non_null(send(""));
    start();
    mode.Started = FALSE;
    assert_non_null(send(""));
    start();
    mode.UsingIpv6 = TRUE;
    assert_non_null(send(""));
    start();
    mode.DhcpAckReceived = FALSE;
    assert_non_null(send(""));
    assert_int_equal(transfers, 0);
}

static void reads(void **state)
{
    char text[16];

    (void)state;
    start();
    assert_int_equal(network_read("tsxpmu.cfg", text, sizeof(text)), 8);
    assert_memory_equal(text, "trials=5", 8);
    assert_string_equal(name, "tsxpmu.cfg");
    assert_int_equal(what, EFI_PXE_BASE_CODE_TFTP_READ_FILE);
    answer = EFI_TFTP_ERROR;
    assert_int_equal(network_read("tsxpmu.cfg", text, sizeof(text)), 0);
}

static void names(void **state)
{
    char at[NETWORK_NAME_BYTES];

    (void)state;
    start();
    assert_null(network_send("", "report", 6, at));
    assert_string_equal(name, "tsxpmu-52540077000a.log");
    assert_string_equal(at, name);
    assert_memory_equal(sent, "report", 6);
    assert_int_equal(what, EFI_PXE_BASE_CODE_TFTP_WRITE_FILE);
    assert_null(send("rack-7"));
    assert_string_equal(name, "tsxpmu-rack-7.log");
}

/* DHCP's server, a proxy's, a boot server's: the later ones before. */
static void servers(void **state)
{
    static const uint8_t of_proxy[] = {10, 0, 0, 2}, of_reply[] = {10, 0, 0, 3};

    (void)state;
    start();
    assert_null(send(""));
    assert_int_equal(server[3], 1);
    mode.ProxyOfferReceived = TRUE;
    assert_null(send("")); /* it names none */
    assert_int_equal(server[3], 1);
    memcpy(mode.ProxyOffer.Dhcpv4.BootpSiAddr, of_proxy, sizeof(of_proxy));
    assert_null(send(""));
    assert_int_equal(server[3], 2);
    mode.PxeReplyReceived = TRUE;
    memcpy(mode.PxeReply.Dhcpv4.BootpSiAddr, of_reply, sizeof(of_reply));
    assert_null(send(""));
    assert_int_equal(server[3], 3);
    start();
    memset(mode.DhcpAck.Dhcpv4.BootpSiAddr, 0, 4);
    assert_non_null(send(""));
    assert_int_equal(transfers, 0);
}

static void failures(void **state)
{
    static const EFI_STATUS all[] = {EFI_UNSUPPORTED, EFI_TFTP_ERROR,
                                     EFI_TIMEOUT, EFI_DEVICE_ERROR};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        start();
        answer = all[i];
        const char *why = send("");
        assert_non_null(why);
        for (unsigned k = 0; k < i; k++) {
            answer = all[k];
            assert_string_not_equal(send(""), why);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_network_alone),
        cmocka_unit_test(reads),
        cmocka_unit_test(names),
        cmocka_unit_test(servers),
        cmocka_unit_test(failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
