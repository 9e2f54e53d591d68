/* A listing: the things of one kind that have names, as commands take them. */
#include "experiments/report/words/listing.h"

#include "core/plan/quantity.h"
#include "data/formats/reader.h"
#include "data/generators/generator.h"
#include "experiments/report/chart/plot.h"
#include "kernels/applications/applications.h"
#include "kernels/devices/device.h"
#include "kernels/strategies/strategy.h"
#include "partitioners/partitioner.h"

/* Defines NAME_at, which fills the i-th item of a registry; false past the last. */
#define REGISTRY(kind, summary_, reference_, options_)                                             \
    static bool kind##_at(int i, tess_item *out) {                                                 \
        const tess_##kind *it = tess_##kind##_at(i);                                               \
        if (it)                                                                                    \
            *out = (tess_item){it->name, summary_, reference_, options_};                          \
        return it != NULL;                                                                         \
    }

REGISTRY(partitioner, it->summary, it->reference, it->options)
REGISTRY(strategy, it->summary, it->reference, it->options)
REGISTRY(application, it->summary, it->reference, NULL)
REGISTRY(device, it->summary, NULL, it->options)
REGISTRY(generator, it->summary, NULL, it->options)
REGISTRY(reader, it->summary, it->extensions, NULL)

static bool metric_at(int i, tess_item *out) {
    const tess_quantity *metric = tess_metric_at(i);
    if (metric)
        *out = (tess_item){
            .name = metric->name, .summary = metric->long_name, .reference = metric->unit};
    return metric != NULL;
}

static bool plot_at(int i, tess_item *out) {
    const tess_plot *plot = tess_plot_at(i);
    if (plot)
        *out = (tess_item){.name = plot->name, .summary = plot->summary};
    return plot != NULL;
}

static const tess_listing listings[] = {
    {"partitioners", "from", partitioner_at}, {"strategies", "from", strategy_at},
    {"applications", "from", application_at}, {"devices", NULL, device_at},
    {"metrics", "unit", metric_at},           {"readers", "files", reader_at},
    {"generators", NULL, generator_at},       {"plots", NULL, plot_at},
};

const tess_listing *tess_listing_at(int i) {
    return i >= 0 && i < (int)(sizeof listings / sizeof listings[0]) ? &listings[i] : NULL;
}
