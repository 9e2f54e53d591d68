/* A live link: the connection of this process to a ParaView that watches (Catalyst Live). */
#include "viz/live_link.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const char *tess_live_link_address(void) {
    const char *address = getenv("TESS_VIZ_LIVE");
    return address && *address ? address : "localhost:22222";
}

/* The port at the other end of a socket; 0: no socket, or not connected. */
static int peer_port(int fd) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
        return 0;
    if (peer.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)&peer)->sin_port);
    return peer.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)&peer)->sin6_port) : 0;
}

bool tess_live_link_is_up(void) {
    const char *colon = strrchr(tess_live_link_address(), ':');
    const int port = colon ? atoi(colon + 1) : 0;
    bool is_up = false;
    DIR *open_files = opendir("/proc/self/fd");
    for (const struct dirent *file; open_files && (file = readdir(open_files));)
        is_up |= port && file->d_name[0] != '.' && peer_port(atoi(file->d_name)) == port;
    if (open_files)
        closedir(open_files);
    return is_up;
}
