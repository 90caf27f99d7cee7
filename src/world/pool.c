/* A pool of threads that ticks vehicles. Between two ticks its threads wait a little by looking,
 * then asleep; a tick takes no lock unless somebody sleeps.
 */
#include "world/world_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* How often somebody looks before falling asleep: at most some tens of microseconds, as waking up
 * takes about as long, which is more than a tick. Whom looking has not helped, because others want
 * the processors, looks half as long the next time, and now and then tries again. */
enum { LOOKS = 2000, LOOKS_LEAST = 20, TRY_AGAIN = 128 };

typedef struct patience {
    int looks;
    unsigned misses;
} patience;

static void learn(patience *p, bool helped) {
    if (helped)
        p->looks = p->looks < LOOKS / 2 ? 2 * p->looks : LOOKS;
    else if (++p->misses % TRY_AGAIN == 0)
        p->looks = LOOKS;
    else
        p->looks = p->looks > 2 * LOOKS_LEAST ? p->looks / 2 : LOOKS_LEAST;
}

/* Tells the processor that this is a loop that waits. */
static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

typedef struct worker {
    ib_pool *pool;
    pthread_t thread;
    int part;
} worker;

struct ib_pool {
    int n;
    patience caller;
    void (*work)(void *context, int part);
    void *context;
    atomic_uint round;   /* counts calls */
    atomic_int left;     /* threads that have not finished the round */
    atomic_int sleepers; /* threads that wait for a round asleep */
    atomic_bool waiting; /* the caller waits asleep */
    atomic_bool over;
    pthread_mutex_t mutex;
    pthread_cond_t begin, done;
    worker workers[];
};

static bool look_for_round(ib_pool *pool, unsigned seen, patience *own) {
    bool begun = false;
    for (int i = 0; i < own->looks && !begun; i++, relax())
        begun = atomic_load_explicit(&pool->round, memory_order_acquire) != seen;
    learn(own, begun);
    return begun;
}

static void await_round(ib_pool *pool, unsigned seen, patience *own) {
    if (look_for_round(pool, seen, own))
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->round) == seen)
        pthread_cond_wait(&pool->begin, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

/* The last one to finish wakes the caller. */
static void finish(ib_pool *pool) {
    if (atomic_fetch_sub(&pool->left, 1) != 1 || !atomic_load(&pool->waiting))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
}

static void *serve(void *argument) {
    worker *self = argument;
    ib_pool *pool = self->pool;
    patience own = {LOOKS, 0};
    for (unsigned seen = 0;; seen++) {
        await_round(pool, seen, &own);
        if (atomic_load(&pool->over))
            return NULL;
        pool->work(pool->context, self->part);
        finish(pool);
    }
}

static void begin(ib_pool *pool) {
    atomic_store(&pool->left, pool->n - 1);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);
}

static bool look_for_end(ib_pool *pool) {
    bool ended = false;
    for (int i = 0; i < pool->caller.looks && !ended; i++, relax())
        ended = atomic_load_explicit(&pool->left, memory_order_acquire) == 0;
    learn(&pool->caller, ended);
    return ended;
}

static void await_all(ib_pool *pool) {
    if (look_for_end(pool))
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->waiting, true);
    while (atomic_load(&pool->left) != 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    atomic_store(&pool->waiting, false);
    pthread_mutex_unlock(&pool->mutex);
}

void ib_pool_run(ib_pool *pool, void (*work)(void *context, int part), void *context) {
    pool->work = work;
    pool->context = context;
    begin(pool);
    work(context, 0);
    await_all(pool);
}

int ib_pool_size(const ib_pool *pool) { return pool->n; }

int ib_pool_processors(void) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* Signals are for the thread that made the pool. */
static bool start(worker *self) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&self->thread, NULL, serve, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

ib_pool *ib_pool_create(int n) {
    ib_pool *pool = calloc(1, sizeof *pool + (size_t)n * sizeof(worker));
    if (!pool)
        return NULL;
    pool->caller = (patience){LOOKS, 0};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (pool->n = 1; pool->n < n; pool->n++) {
        worker *self = &pool->workers[pool->n];
        *self = (worker){.pool = pool, .part = pool->n};
        if (!start(self)) {
            ib_pool_destroy(pool);
            return NULL;
        }
    }
    return pool;
}

void ib_pool_destroy(ib_pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->over, true);
    begin(pool);
    for (int i = 1; i < pool->n; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}
