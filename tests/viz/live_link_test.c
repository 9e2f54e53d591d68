/* A live link is up while this process is connected to the port that is looked at. */
#include "tests/unit.h"
#include "viz/live_link.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} address;

/* A socket that listens on a free port of the loopback, which `bound` tells; -1: there is no such
 * loopback. */
static int listen_on(int family, address *bound, socklen_t *size) {
    memset(bound, 0, sizeof *bound);
    *size = family == AF_INET ? sizeof bound->four : sizeof bound->six;
    if (family == AF_INET)
        bound->four =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    else
        bound->six =
            (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int server = socket(family, SOCK_STREAM, 0);
    if (server < 0)
        return -1;
    if (bind(server, &bound->any, *size) != 0 || listen(server, 1) != 0) {
        close(server);
        return -1;
    }
    assert_int_equal(getsockname(server, &bound->any, size), 0);
    return server;
}

static void check_family(int family, const char *host) {
    address bound;
    socklen_t size;
    const int server = listen_on(family, &bound, &size);
    if (server < 0) {
        print_message("no loopback of this family\n");
        skip();
    }
    const int port = ntohs(family == AF_INET ? bound.four.sin_port : bound.six.sin6_port);
    char paraview[64];
    snprintf(paraview, sizeof paraview, "%s:%d", host, port);
    setenv("TESS_VIZ_LIVE", paraview, 1);
    assert_string_equal(tess_live_link_address(), paraview);
    assert_false(tess_live_link_is_up()); /* who only listens is not connected */
    const int client = socket(family, SOCK_STREAM, 0);
    assert_int_equal(connect(client, &bound.any, size), 0);
    assert_true(tess_live_link_is_up());
    setenv("TESS_VIZ_LIVE", "localhost:1", 1); /* another ParaView's */
    assert_false(tess_live_link_is_up());
    setenv("TESS_VIZ_LIVE", paraview, 1);
    close(client);
    assert_false(tess_live_link_is_up());
    close(server);
}

static void test_a_connection_is_seen(void **state) {
    check_family(AF_INET, "127.0.0.1");
}

static void test_a_connection_by_ipv6_is_seen(void **state) {
    check_family(AF_INET6, "[::1]");
}

static void test_an_address_has_a_port_or_a_default(void **state) {
    int ends[2]; /* connected, but to no port */
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    unsetenv("TESS_VIZ_LIVE");
    assert_string_equal(tess_live_link_address(), "localhost:22222");
    setenv("TESS_VIZ_LIVE", "", 1);
    assert_string_equal(tess_live_link_address(), "localhost:22222");
    static const char *const portless[] = {"localhost", "localhost:", "localhost:x", ":0"};
    for (size_t i = 0; i < sizeof portless / sizeof portless[0]; i++) {
        setenv("TESS_VIZ_LIVE", portless[i], 1);
        assert_false(tess_live_link_is_up());
    }
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_connection_is_seen),
        cmocka_unit_test(test_a_connection_by_ipv6_is_seen),
        cmocka_unit_test(test_an_address_has_a_port_or_a_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
