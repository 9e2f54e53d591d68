"""What the Catalyst scripts share: the channels of the running program and where files go."""

import os

from paraview import catalyst, simple

import scene
import scene_files

FOLDER = os.environ.get("TESS_VIZ_FOLDER", ".")
CHANNELS = os.environ.get("TESS_VIZ_CHANNELS", "mesh").split(",")
WIDTH, HEIGHT = 900, 700
# What the pictures are of: the mesh, and how it was cut.
TITLE = os.environ.get("TESS_VIZ_TITLE", "")
# Part of a flat mesh, X0,X1,Y0,Y1; without it all of it is shown.
WINDOW = [float(v) for v in os.environ.get("TESS_VIZ_WINDOW", "").split(",") if v]
# The range of a field's colours, LOW,HIGH; without it that of the values at each step.
RANGE = [float(v) for v in os.environ.get("TESS_VIZ_RANGE", "").split(",") if v]


def titled(channel):
    """What a picture is of: of several channels each says its own name, too."""
    return " · ".join(filter(None, [TITLE, channel if len(CHANNELS) > 1 or not TITLE else ""]))


def options():
    made = catalyst.Options()
    made.ExtractsOutputDirectory = FOLDER
    return made


def producers():
    """The source of each channel by its name: what the program hands over."""
    return {name: simple.TrivialProducer(registrationName=name) for name in CHANNELS}


def write_cells(name, source):
    """Has ParaView write the channel's cells at every step."""
    extractor = simple.CreateExtractor("VTPD", source, registrationName=f"{name}_cells")
    extractor.Writer.FileName = f"{name}_{{timestep:06d}}.vtpd"
    # Compressed little, the cells of a step cost about what a VTKHDF file does. What stands behind the XML
    # (Appended) cannot be read where libexpat has its fixes of 2024 and 2025 (Debian's deb12u2 to deb12u5).
    extractor.Writer.DataMode = "Binary"
    extractor.Writer.CompressorType, extractor.Writer.CompressionLevel = "ZLib", "1"


class Pictures:
    """A view of each channel in one layout, coloured anew at every step."""

    def __init__(self, sources, outline=True):
        self.sources, self.outline = sources, outline
        self.layout, views = scene.laid_out(len(sources), WIDTH, HEIGHT)
        self.views = dict(zip(sources, views))
        self.displays, self.words, self.parts = {}, {}, {}

    def update(self, info, colour):
        """Shows each channel that has cells; `colour(source)` names its array."""
        for name, whole in self.sources.items():
            whole.UpdatePipeline(info.time)
            if whole.GetDataInformation().GetNumberOfCells() == 0:
                continue
            source = self.part_of(name, whole)
            source.UpdatePipeline(info.time)
            view, flat = self.views[name], scene.is_flat(source)
            array = colour(source)
            scene.aim(view, source.GetDataInformation().GetBounds(), flat, WINDOW,
                      foot=scene.foot_of(array, view))
            if name not in self.displays:
                is_field = array not in scene.CATEGORIES
                self.displays[name] = scene.show(source, view, flat)
                if not is_field:
                    scene.show_edges(source, view, flat)
                if self.outline:
                    scene.show_outlines(source, view, flat, [float(is_field)] * 3,
                                        1.0 if is_field else None, stays=True)
                self.words[name] = simple.Text(Text="")
                scene.place_text(self.words[name], view, [0.02, 0.025], 16)
            spread = None if scene.is_known(array) else RANGE
            scene.colour_by(self.displays[name], view, source, array, spread)
            blocks = int(scene.cell_range(whole, "block")[1]) + 1
            time = "" if info.time == info.timestep else f" · time {info.time:.4g}"
            words = f" · step {info.timestep}{time} · {scene.counted(blocks, 'block')}"
            room = 0.96 * WIDTH - scene.text_width(words, 16)
            self.words[name].Text = scene.fitting(titled(name), room, 16) + words

    def part_of(self, name, source):
        """The channel's part inside the window, made once."""
        if name not in self.parts:
            self.parts[name] = scene.windowed(source, WINDOW)
        return self.parts[name]

    def save(self, path):
        columns, rows = scene.grid_of(len(self.views))
        target = self.layout if len(self.views) > 1 else next(iter(self.views.values()))
        scene_files.save(target, path, columns * WIDTH, rows * HEIGHT)
