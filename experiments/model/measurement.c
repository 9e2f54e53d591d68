/* A measurement: the numbers of a machine file, found by running small kernels on a device. */
#include "experiments/model/measurement.h"

#include "core/base/array.h"
#include "kernels/devices/text_writer.h"
#include <string.h>

tess_status tess_measurement_make(const char *words, const tess_device *device, tess_target *target,
                                  tess_measurement *out) {
    *out = (tess_measurement){.n = 0};
    if (device->emulates || device->compiles_only)
        FAIL(TESS_ERROR_USAGE, "device %s says nothing of a machine: measure host or cuda",
             device->name);
    return device->one_thread ? tess_measure_host(device, target, out)
                              : tess_measure_gpu(words, device, target, out);
}

/* --- files ------------------------------------------------------------------------------------ */

static void print_number(tess_text_writer *text, const char *indent, const tess_measured *number) {
    tess_text_writer_print(text, "%s%s: {value: %.6g, unit: \"%s\", source: \"%s\"}\n", indent,
                           number->name, number->value, number->unit, number->source);
}

static void print_levels(tess_text_writer *text, const tess_measurement *measurement) {
    const char *level = NULL;
    for (int i = 0; i < measurement->n; i++) {
        const tess_measured *number = &measurement->numbers[i];
        if (!number->level)
            continue;
        if (!level)
            tess_text_writer_print(text, "levels:\n");
        if (!level || strcmp(level, number->level) != 0)
            tess_text_writer_print(text, "  - name: %s\n", number->level);
        level = number->level;
        print_number(text, "    ", number);
    }
}

tess_status tess_measurement_text(const tess_measurement *measurement, const char *name,
                                  const char *model, char **out) {
    tess_text_writer text = {.text = NULL};
    tess_text_writer_print(&text, "machine: %s\n", name);
    tess_text_writer_print(&text,
                           "about: \"measured by tess machine measure; a level's capacity is "
                           "that of the one above it\"\n");
    if (model)
        tess_text_writer_print(&text, "device: \"%s\"\n", model);
    for (int i = 0; i < measurement->n_lacking; i++)
        tess_text_writer_print(&text, "# not known: %s\n", measurement->lacking[i]);
    tess_text_writer_print(&text, "numbers:\n");
    for (int i = 0; i < measurement->n; i++)
        if (!measurement->numbers[i].level)
            print_number(&text, "  ", &measurement->numbers[i]);
    print_levels(&text, measurement);
    const tess_status status = tess_text_writer_finish(&text);
    *out = status == TESS_OK ? TESS_TAKE(text.text) : NULL;
    tess_text_writer_clear(&text);
    return status;
}

json_t *tess_measurement_json(const tess_measurement *measurement, const char *name) {
    json_t *numbers = json_array(), *lacking = json_array();
    for (int i = 0; i < measurement->n; i++) {
        const tess_measured *number = &measurement->numbers[i];
        json_array_append_new(numbers, json_pack("{s:s, s:s?, s:f, s:s, s:s}", "name", number->name,
                                                 "level", number->level, "value", number->value,
                                                 "unit", number->unit, "source", number->source));
    }
    for (int i = 0; i < measurement->n_lacking; i++)
        json_array_append_new(lacking, json_string(measurement->lacking[i]));
    return json_pack("{s:s, s:s, s:o, s:o}", "schema", "tess.machine/1", "machine", name, "numbers",
                     numbers, "lacking", lacking);
}
