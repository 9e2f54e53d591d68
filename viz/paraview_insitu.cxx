/* The plug-in on ParaView's in-situ library: views become VTK grids over the same memory. */
#include "viz/paraview_insitu.h"

#include "core/base/embed_file.h"
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkInSituInitializationHelper.h>
#include <vtkInSituPipelinePython.h>
#include <vtkIntArray.h>
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkPVTrivialProducer.h>
#include <vtkPartitionedDataSet.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPythonInterpreter.h>
#include <vtkSMProxyManager.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSMSourceProxy.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

extern "C" {
TESS_EMBED_FILE(tess_quick_start, TESS_QUICK_START_PATH);
}

namespace {

/* A script that keeps what ParaView would swallow: whether it was imported and ran. */
class Script : public vtkInSituPipelinePython {
  public:
    static Script *New();
    vtkTypeMacro(Script, vtkInSituPipelinePython);

    bool Initialize() override {
        imported = vtkInSituPipelinePython::Initialize();
        return imported;
    }

    bool Execute(int timestep, double time) override {
        executed = imported && vtkInSituPipelinePython::Execute(timestep, time);
        return executed;
    }

    bool imported = false, executed = true;

  protected:
    Script() = default;
};

vtkStandardNewMacro(Script);

struct Session {
    std::vector<vtkSmartPointer<Script>> scripts;
    std::map<std::string, vtkSmartPointer<vtkSMSourceProxy>> producers;
};

Session *session = nullptr;
bool was_open = false;

int fail(char *message, size_t size, const std::string &words) {
    std::snprintf(message, size, "%s", words.c_str());
    return 1;
}

/* Memory of ours that VTK reads and never frees. */
template <class Array, class Value>
vtkSmartPointer<Array> borrow(const char *name, const Value *values, int64_t n, int dim) {
    auto array = vtkSmartPointer<Array>::New();
    if (name)
        array->SetName(name);
    array->SetNumberOfComponents(dim);
    array->SetArray(const_cast<Value *>(values), n * dim, 1);
    return array;
}

vtkSmartPointer<vtkDataArray> borrow_field(const tess_viz_field &field, int64_t n) {
    switch (field.type) {
    case TESS_INT32:
        return borrow<vtkIntArray>(field.name, static_cast<const int *>(field.values), n,
                                   field.dim);
    case TESS_FLOAT:
        return borrow<vtkFloatArray>(field.name, static_cast<const float *>(field.values), n,
                                     field.dim);
    default:
        return borrow<vtkDoubleArray>(field.name, static_cast<const double *>(field.values), n,
                                      field.dim);
    }
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const tess_viz_channel &channel) {
    const tess_view_mesh &view = *channel.view;
    auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
    vtkNew<vtkPoints> points;
    points->SetData(borrow<vtkDoubleArray>(nullptr, view.points, view.n_points, 3));
    grid->SetPoints(points);
    vtkNew<vtkCellArray> cells;
    using Index = vtkTypeInt64;
    cells->SetData(borrow<vtkTypeInt64Array>(nullptr, reinterpret_cast<const Index *>(view.offset),
                                             view.n_cells + 1, 1),
                   borrow<vtkTypeInt64Array>(nullptr,
                                             reinterpret_cast<const Index *>(view.connectivity),
                                             view.n_corners, 1));
    grid->SetCells(borrow<vtkUnsignedCharArray>(nullptr, view.type, view.n_cells, 1), cells);
    grid->GetPointData()->AddArray(
        borrow<vtkFloatArray>("explode", view.explode, view.n_points, 3));
    grid->GetPointData()->AddArray(
        borrow<vtkIntArray>("shared_by", view.shared_by, view.n_points, 1));
    for (int i = 0; i < view.n_arrays; i++) {
        const tess_viz_field array = {view.arrays[i].name, 1, view.arrays[i].type,
                                      view.arrays[i].values};
        grid->GetCellData()->AddArray(borrow_field(array, view.n_cells));
    }
    for (int i = 0; i < channel.n_fields; i++)
        grid->GetCellData()->AddArray(borrow_field(channel.fields[i], view.n_cells));
    return grid;
}

/* What a channel shows: the grid in a partitioned data set, as Catalyst 2 has it; NULL: nothing
 * yet. */
void set_output(vtkSMSourceProxy *producer, vtkUnstructuredGrid *grid, double time) {
    vtkNew<vtkPartitionedDataSet> whole;
    vtkNew<vtkUnstructuredGrid> empty;
    whole->SetPartition(0, grid ? grid : empty.Get());
    auto trivial = vtkPVTrivialProducer::SafeDownCast(producer->GetClientSideObject());
    if (grid)
        trivial->SetOutput(whole, time);
    else
        trivial->SetOutput(whole);
}

bool add_producer(const char *channel) {
    auto manager = vtkSMProxyManager::GetProxyManager()->GetActiveSessionProxyManager();
    auto proxy =
        vtkSmartPointer<vtkSMProxy>::Take(manager->NewProxy("sources", "PVTrivialProducer"));
    auto producer = vtkSMSourceProxy::SafeDownCast(proxy);
    if (!producer)
        return false;
    producer->UpdateVTKObjects();
    set_output(producer, nullptr, 0);
    vtkInSituInitializationHelper::SetProducer(channel, producer);
    session->producers[channel] = producer;
    return true;
}

/* ParaView says at every step, as an error, that Debian's build cannot be steered: nobody asked;
 * and of a step that is handed over again, while a ParaView is waited for, that it is not later.
 * All else it says is passed on. */
void pass_on(void *, const vtkLogger::Message &said) {
    if (!std::strstr(said.message, "cannot use steering") &&
        !std::strstr(said.message, "New time step is not after"))
        std::fprintf(stderr, "ParaView: %s\n", said.message);
}

int open(const tess_viz_setting &setting, char *message, size_t size) {
    if (was_open)
        return fail(message, size, "ParaView can be started once in a process");
    was_open = true;
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
    vtkLogger::AddCallback("tess", pass_on, nullptr, vtkLogger::VERBOSITY_WARNING);
    vtkInSituInitializationHelper::Initialize(static_cast<vtkTypeUInt64>(setting.communicator));
    if (!vtkInSituInitializationHelper::IsPythonSupported())
        return fail(message, size, "this ParaView has no Python");
    /* A second or more, and no part of the first step's hand-over. */
    vtkPythonInterpreter::Initialize();
    vtkPythonInterpreter::RunSimpleString(tess_quick_start);
    vtkPythonInterpreter::RunSimpleString("import paraview.catalyst.v2_internals");
    session = new Session;
    for (int i = 0; i < setting.n_channels; i++)
        if (!add_producer(setting.channels[i]))
            return fail(message, size, "ParaView makes no producer of data");
    for (int i = 0; i < setting.n_scripts; i++) {
        auto script = vtkSmartPointer<Script>::New();
        script->SetFileName(setting.scripts[i]);
        vtkInSituInitializationHelper::AddPipeline(script);
        session->scripts.push_back(script);
    }
    return 0;
}

int execute(const tess_viz_step &step, char *message, size_t size) {
    for (int i = 0; i < step.n_channels; i++) {
        const tess_viz_channel &channel = step.channels[i];
        auto producer = session->producers.find(channel.name);
        if (producer == session->producers.end())
            return fail(message, size, std::string("channel ") + channel.name + " is unknown");
        if (channel.view) {
            set_output(producer->second, grid_of(channel), step.time);
            vtkInSituInitializationHelper::MarkProducerModified(producer->second);
        }
    }
    vtkInSituInitializationHelper::ExecutePipelines(static_cast<int>(step.cycle), step.time);
    for (auto &script : session->scripts) {
        if (!script->imported)
            return fail(message, size,
                        std::string("the Catalyst script '") + script->GetFileName() +
                            "' cannot be imported (its traceback is above)");
        if (!script->executed)
            return fail(message, size,
                        std::string("the Catalyst script '") + script->GetFileName() +
                            "' failed at cycle " + std::to_string(step.cycle) +
                            " (its traceback is above)");
    }
    return 0;
}

/* No exception leaves for C. */
template <class Body> int guarded(char *message, size_t size, Body body) {
    try {
        return body();
    } catch (const std::exception &error) {
        return fail(message, size, std::string("ParaView: ") + error.what());
    }
}

} // namespace

int tess_paraview_insitu_open(const tess_viz_setting *setting, char *message, size_t size) {
    return guarded(message, size, [&] { return open(*setting, message, size); });
}

int tess_paraview_insitu_execute(const tess_viz_step *step, char *message, size_t size) {
    return guarded(message, size, [&] { return execute(*step, message, size); });
}

int tess_paraview_insitu_close(char *message, size_t size) {
    return guarded(message, size, [&] {
        vtkInSituInitializationHelper::Finalize();
        delete session;
        session = nullptr;
        return 0;
    });
}
