/* A digest: the SHA-256 of canonical content, in hexadecimal. */
#include "experiments/archive/digest.h"

#include "core/base/array.h"
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "content is hashed as it lies in memory");

struct tess_hash {
    EVP_MD_CTX *context;
};

static tess_status update(tess_hash *hash, const void *bytes, size_t size) {
    if (size && EVP_DigestUpdate(hash->context, bytes, size) != 1)
        FAIL(TESS_ERROR_INTERNAL, "SHA-256 failed");
    return TESS_OK;
}

tess_status tess_hash_new(const char *kind, tess_hash **out) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    CHECK(TESS_ZEROS(1, &hash));
    hash->context = EVP_MD_CTX_new();
    if (!hash->context || EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) != 1)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "libcrypto has no SHA-256"));
    CHECK(tess_hash_text(hash, kind));
    *out = TESS_TAKE(hash);
done:
    tess_hash_free(hash);
    return status;
}

tess_status tess_hash_text(tess_hash *hash, const char *text) {
    return tess_hash_array(hash, text, (int64_t)strlen(text), 1);
}

tess_status tess_hash_int(tess_hash *hash, int64_t value) {
    return update(hash, &value, sizeof value);
}

tess_status tess_hash_array(tess_hash *hash, const void *values, int64_t n, size_t element_size) {
    TRY(tess_hash_int(hash, n));
    return update(hash, values, (size_t)n * element_size);
}

tess_status tess_hash_finish(tess_hash *hash, char digest[TESS_DIGEST_SIZE]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(hash->context, bytes, &size) != 1)
        FAIL(TESS_ERROR_INTERNAL, "SHA-256 failed");
    static const char digits[] = "0123456789abcdef";
    for (unsigned int i = 0; i < size && 2 * i + 2 < TESS_DIGEST_SIZE; i++) {
        digest[2 * i] = digits[bytes[i] >> 4];
        digest[2 * i + 1] = digits[bytes[i] & 15];
    }
    digest[TESS_DIGEST_SIZE - 1] = '\0';
    return TESS_OK;
}

void tess_hash_free(tess_hash *hash) {
    if (!hash)
        return;
    EVP_MD_CTX_free(hash->context);
    free(hash);
}

/* Something of a mesh that has a name: the name's place in memory and its index. */
typedef struct named {
    const char *name, *on;
    int index;
} named;

static int compare_named(const void *a, const void *b) {
    const named *x = a, *y = b;
    const int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : strcmp(x->on, y->on);
}

static tess_status hash_sets(tess_hash *hash, const tess_mesh *mesh, named *order) {
    for (int i = 0; i < mesh->n_sets; i++)
        order[i] = (named){mesh->sets[i].name, "", i};
    qsort(order, (size_t)mesh->n_sets, sizeof *order, compare_named);
    TRY(tess_hash_int(hash, mesh->n_sets));
    for (int i = 0; i < mesh->n_sets; i++) {
        TRY(tess_hash_text(hash, order[i].name));
        TRY(tess_hash_int(hash, mesh->sets[order[i].index].size));
    }
    return TESS_OK;
}

static tess_status hash_maps(tess_hash *hash, const tess_mesh *mesh, named *order) {
    for (int i = 0; i < mesh->n_maps; i++)
        order[i] = (named){mesh->maps[i].name, "", i};
    qsort(order, (size_t)mesh->n_maps, sizeof *order, compare_named);
    TRY(tess_hash_int(hash, mesh->n_maps));
    for (int i = 0; i < mesh->n_maps; i++) {
        const tess_map *map = &mesh->maps[order[i].index];
        TRY(tess_hash_text(hash, map->name));
        TRY(tess_hash_int(hash, map->arity));
        TRY(tess_hash_int(hash, map->padded));
        TRY(tess_hash_array(hash, map->index, mesh->sets[map->from].size * map->arity,
                            sizeof *map->index));
    }
    return TESS_OK;
}

static tess_status hash_dats(tess_hash *hash, const tess_mesh *mesh, named *order) {
    for (int i = 0; i < mesh->n_dats; i++)
        order[i] = (named){mesh->dats[i].name, mesh->sets[mesh->dats[i].set].name, i};
    qsort(order, (size_t)mesh->n_dats, sizeof *order, compare_named);
    TRY(tess_hash_int(hash, mesh->n_dats));
    for (int i = 0; i < mesh->n_dats; i++) {
        const tess_dat *dat = &mesh->dats[order[i].index];
        TRY(tess_hash_text(hash, dat->name));
        TRY(tess_hash_text(hash, order[i].on));
        TRY(tess_hash_text(hash, tess_type_name(dat->type)));
        TRY(tess_hash_int(hash, dat->dim));
        TRY(tess_hash_array(hash, dat->values, mesh->sets[dat->set].size * dat->dim,
                            tess_type_size(dat->type)));
    }
    return TESS_OK;
}

bool tess_digest_is_one(const char *text) {
    return strlen(text) == TESS_DIGEST_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == TESS_DIGEST_SIZE - 1;
}

tess_status tess_digest_of_mesh(const tess_mesh *mesh, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    named *order = NULL;
    CHECK(TESS_ALLOC(mesh->n_sets + mesh->n_maps + mesh->n_dats, &order));
    CHECK(tess_hash_new("tesselab mesh 1", &hash));
    CHECK(tess_hash_int(hash, mesh->dimension));
    CHECK(tess_hash_array(hash, mesh->shape, 3, sizeof *mesh->shape));
    CHECK(hash_sets(hash, mesh, order));
    CHECK(hash_maps(hash, mesh, order));
    CHECK(hash_dats(hash, mesh, order));
    const int64_t n_nodes = mesh->coordinates ? tess_mesh_set_size(mesh, "nodes") : 0;
    CHECK(tess_hash_array(hash, mesh->coordinates, n_nodes * mesh->dimension,
                          sizeof *mesh->coordinates));
    CHECK(tess_hash_int(hash, mesh->n_markers));
    for (int i = 0; i < mesh->n_markers; i++)
        CHECK(tess_hash_text(hash, mesh->markers[i]));
    for (int i = 0; i < mesh->n_regions; i++)
        CHECK(tess_hash_text(hash, mesh->regions[i]));
    CHECK(tess_hash_finish(hash, digest));
done:
    tess_hash_free(hash);
    free(order);
    return status;
}

tess_status tess_digest_of_file(const char *path, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    char bytes[1 << 16];
    size_t n = 0;
    struct stat info;
    tess_hash hash = {.context = EVP_MD_CTX_new()};
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
    if (!file)
        CHECK(tess_fail(TESS_ERROR_IO, "%s is no file that can be read", path));
    if (!hash.context || EVP_DigestInit_ex(hash.context, EVP_sha256(), NULL) != 1)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "libcrypto has no SHA-256"));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        CHECK(update(&hash, bytes, n));
    if (ferror(file))
        CHECK(tess_fail(TESS_ERROR_IO, "%s: %s", path, strerror(errno)));
    CHECK(tess_hash_finish(&hash, digest));
done:
    if (file)
        fclose(file);
    EVP_MD_CTX_free(hash.context);
    return status;
}
