import ModelFormat
import Tensors

/// Handles groups of the newer type, which may store their links in a fractal heap.
enum HDF5Heap {
  /// Returns no links if the group has no fractal heap. Otherwise throws, because this reader does not support fractal
  /// heaps. Files written with `libver="latest"` may contain them.
  static func links(_ file: HDF5File, _ bytes: ByteValues) throws -> [(name: String, address: Int)]
  {
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(bytes)
    try cursor.skip(1)
    let flags: Int = try cursor.number(1)
    if flags & 1 != 0 { try cursor.skip(8) }
    guard try cursor.offset() != nil else { return [] }
    throw EngineError(
      .unsupported,
      "the HDF5 file has a group with links in a fractal heap, which is not supported. Save it again without libver='latest'."
    )
  }
}
