/* The cost of a process: threads mark where their work begins at once. */
#include "partitioners/worker/process_cost.h"
#include "tests/unit.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_THREADS = 8, N_PROCESSES = 100 };

static pthread_barrier_t start;

static void *mark(void *none) {
    pthread_barrier_wait(&start);
    return tess_process_mark_now().bytes ? &start : none;
}

/* The exit code of a process: how many of its threads did not mark. */
static int mark_at_once(void) {
    pthread_t threads[N_THREADS];
    int n_missing = 0;
    pthread_barrier_init(&start, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        n_missing += N_THREADS * (pthread_create(&threads[i], NULL, mark, NULL) != 0);
    for (int i = 0; i < N_THREADS && n_missing < N_THREADS; i++) {
        void *marked = NULL;
        pthread_join(threads[i], &marked);
        n_missing += !marked;
    }
    return n_missing;
}

/* Under AddressSanitizer a process is the first to ask the C library's own malloc for anything. */
static void first_marks_of_many_threads_end(void **state) {
    for (int i = 0; i < N_PROCESSES; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(mark_at_once());
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_marks_of_many_threads_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
