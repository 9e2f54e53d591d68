/* Stepping back: a thread that makes what others wait for least. */
#pragma once

/* The calling thread, and those that it starts, come after the others of this machine. */
void tess_thread_step_back(void);

/* That, and its parallel loops leave half of the cores to the thread that runs. */
void tess_thread_step_aside(void);
