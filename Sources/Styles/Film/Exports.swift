// `FilmDescription`, `FilmPrograms` and `FilmError` belong to this module's interface.
@_exported import FFmpeg
