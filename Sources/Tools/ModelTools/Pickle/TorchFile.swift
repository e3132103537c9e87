import ModelFormat

/// A storage of PyTorch: the elements of a tensor, as 32-bit floating-point numbers in the file after the pickles.
struct TorchStorage: Sendable, Equatable {
  /// The name by which the file's list of storages refers to it.
  let key: String
  /// The number of elements.
  let count: Int
}

/// A tensor of PyTorch in row-major order.
struct TorchTensor: Sendable, Equatable {
  let storage: TorchStorage
  /// The index of the first element in the storage.
  let offset: Int
  /// The extents, outermost first.
  let shape: [Int]
}

/// A file of tensors that PyTorch wrote before its version 1.6, or with `_use_new_zipfile_serialization=False`.
///
/// The file holds five pickles: a number that marks the format, the version of the protocol, properties of the machine
/// that wrote the file, the dictionary of tensors, and the list of the storages' keys. The storages follow in the order
/// of this list: for each the number of elements as a 64-bit integer, then the elements. The pickles are read by
/// ``PickleFile``, which runs no code. Only 32-bit floating-point tensors in row-major order are accepted.
///
/// **Source:** `_legacy_save` in PyTorch's `torch/serialization.py`.
public struct TorchFile: Sendable {
  private let content: PickleFile
  private let storages: [String: ByteValues]

  /// The first pickle of the file: the number 0x1950a86a20f9469cfc6c, which marks the format.
  private static let mark: [UInt8] = [
    0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e,
  ]

  /// Reads the pickles and finds the storages. Throws ``ModelToolsError`` if the file is damaged or contains more than
  /// tensors.
  public init(_ bytes: ByteValues, name: String) throws {
    func bad(_ fault: String) -> ModelToolsError {
      ModelToolsError(.badPickle, "Weights '\(name)': the file is not usable: \(fault).")
    }
    guard let start = bytes.slice(from: 0, count: Self.mark.count), start.elementsEqual(Self.mark)
    else { throw bad("it does not start as a file of PyTorch before 1.6 does") }
    let version = try PickleFile(
      bytes, name: name, from: Self.mark.count, allowsTensors: false)
    guard version.root == .integer(1001) else {
      throw bad("its protocol is not 1001")
    }
    let machine = try PickleFile(bytes, name: name, from: version.end, allowsTensors: false)
    guard machine.member(of: machine.root, .key("little_endian")) == .boolean(true) else {
      throw bad("its numbers are not little-endian")
    }
    content = try PickleFile(bytes, name: name, from: machine.end, allowsTensors: true)
    let keys = try PickleFile(bytes, name: name, from: content.end, allowsTensors: false)
    var found: [String: ByteValues] = [:]
    var position: Int = keys.end
    var index: Int = 0
    while let key = keys.member(of: keys.root, .index(index)) {
      guard case .text(let key) = key, let head = bytes.slice(from: position, count: 8) else {
        throw bad("it ends before the storage \(index)")
      }
      let count: Int = head.withUnsafeBytes {
        Int(clamping: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)))
      }
      guard count <= bytes.count / 4, let data = bytes.slice(from: position + 8, count: count * 4)
      else { throw bad("it ends within the storage \(index)") }
      found[key] = data
      position += 8 + count * 4
      index += 1
    }
    storages = found
  }

  /// Returns the tensor with the given key. Throws if the file has none.
  public func array(_ key: String) throws -> NumericArray {
    guard case .object(let index)? = content.member(of: content.root, .key(key)),
      case .tensor(let tensor) = content.objects[index].kind
    else {
      throw ModelToolsError(
        .badWeights, "Weights '\(content.name)': there is no '\(key)'; expected a tensor.")
    }
    guard
      let data = storages[tensor.storage.key]?.slice(
        from: tensor.offset * 4, count: tensor.shape.product * 4),
      let array = NumericArray(.float32, shape: tensor.shape, bytes: data)
    else {
      throw ModelToolsError(
        .badWeights,
        "Weights '\(content.name)': the numbers of '\(key)' are not in the file, which may be"
          + " truncated.")
    }
    return array
  }
}
