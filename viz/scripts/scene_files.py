"""Files of a scene: pictures, films and states, which appear whole or not at all.

Shared by view.py and the Catalyst scripts, as scene.py is."""

import os
import struct
import zlib

from paraview import simple
from scene import SceneError


def write_film(frames, path, rate):
    """Pictures of one size, one after the other, `rate` a second, as an .ogv or .avi file."""
    from vtkmodules.vtkIOImage import vtkPNGReader

    if path.endswith(".ogv"):
        from vtkmodules.vtkIOOggTheora import vtkOggTheoraWriter as Writer
    elif path.endswith(".avi"):
        from vtkmodules.vtkIOFFMPEG import vtkFFMPEGWriter as Writer
    else:
        raise SceneError(f"'{path}': films are .ogv or .avi files")
    reader, writer = vtkPNGReader(), Writer()
    writer.SetFileName(path)
    writer.SetInputConnection(reader.GetOutputPort())
    writer.SetRate(rate)
    writer.SetQuality(2)
    for i, frame in enumerate(frames):
        reader.SetFileName(frame)
        reader.Update()
        if i == 0:
            writer.Start()
        writer.Write()
    if frames:
        writer.End()
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        raise SceneError(f"no film was written to '{path}'")


def needs_display():
    """Fails where rendering would kill the process: ParaView aborts without an X server."""
    import ctypes
    import ctypes.util

    library = ctypes.util.find_library("X11")
    if not library or os.name != "posix":
        return
    x11 = ctypes.CDLL(library)
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        raise SceneError("there is no display to render on: DISPLAY is "
                         f"'{os.environ.get('DISPLAY', '')}'. Run under xvfb-run "
                         "(Debian: apt-get install xvfb xauth), or use tess view --png")
    x11.XCloseDisplay(ctypes.c_void_p(display))


def describe(path, words):
    """Puts the words of a picture's captions into its file, as PNG's own Description."""
    text = b"Description\0\0\0\0\0" + words.encode()
    chunk = struct.pack(">I", len(text)) + b"iTXt" + text
    chunk += struct.pack(">I", zlib.crc32(b"iTXt" + text))
    with open(path, "rb") as file:
        picture = file.read()
    head = 33  # of the signature and the first chunk
    with open(path, "wb") as file:
        file.write(picture[:head] + chunk + picture[head:])


def save(view_or_layout, path, width, height, words=""):
    """Writes a PNG under a temporary name, looks whether it is there, and puts it in place."""
    stem, extension = os.path.splitext(path)
    if extension.lower() != ".png":
        raise SceneError(f"'{path}': pictures are PNG files, end the name with .png")
    temporary = f"{stem}.{os.getpid()}.part.png"
    simple.SaveScreenshot(temporary, view_or_layout, ImageResolution=[width, height],
                          CompressionLevel="9", OverrideColorPalette="")
    try:
        if not os.path.exists(temporary) or os.path.getsize(temporary) == 0:
            raise SceneError(f"ParaView wrote no picture for '{path}': is the folder there, and room?")
        if words:
            describe(temporary, words)
        os.replace(temporary, path)
    except OSError as error:
        raise SceneError(f"'{path}' cannot be written: {error.strerror}") from error
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def save_state(path):
    """Writes a state of ParaView, and puts it in place when it is whole."""
    stem, extension = os.path.splitext(path)
    if extension != ".pvsm":
        raise SceneError(f"'{path}': states are PVSM files, end the name with .pvsm")
    temporary = f"{stem}.{os.getpid()}.part.pvsm"
    simple.SaveState(temporary)
    if not os.path.exists(temporary) or os.path.getsize(temporary) == 0:
        raise SceneError(f"ParaView wrote no state for '{path}': is the folder there, and room?")
    os.replace(temporary, path)
