import ModelFormat
import Tensors

/// Links that a group of a newer kind keeps in a heap of its own.
enum HDF5Heap {
  /// No links where there is no heap; else a sentence, as such groups come from files that are written with
  /// `libver="latest"`.
  static func links(_ file: HDF5File, _ bytes: ByteValues) throws -> [(name: String, address: Int)]
  {
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(bytes)
    try cursor.skip(1)
    let flags: Int = try cursor.number(1)
    if flags & 1 != 0 { try cursor.skip(8) }
    guard try cursor.offset() != nil else { return [] }
    throw EngineError(
      .unsupported,
      "the HDF5 file keeps a group's links in a heap, which is not read. Save it anew without libver='latest'."
    )
  }
}
