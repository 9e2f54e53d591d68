/* The interface of the plug-in on ParaView's in-situ library, which alone links ParaView. All three
 * return 0 or leave a message [size] of what failed. One session a process: ParaView knows no more.
 */
#pragma once

#include "viz/viz.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int tess_paraview_open_function(const tess_viz_setting *setting, char *message,
                                        size_t size);
typedef int tess_paraview_execute_function(const tess_viz_step *step, char *message, size_t size);
typedef int tess_paraview_close_function(char *message, size_t size);

tess_paraview_open_function tess_paraview_insitu_open;
tess_paraview_execute_function tess_paraview_insitu_execute;
tess_paraview_close_function tess_paraview_insitu_close;

#ifdef __cplusplus
}
#endif
