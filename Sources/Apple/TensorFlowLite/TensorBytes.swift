import Engine
import Foundation
import TensorFlowLiteFormat

/// Converts the bytes of a tensor, which have the file's element type, to a tensor of the engine, and back.
struct TensorBytes {
  private let element: ElementType
  private let grid: QuantizedGrid?

  /// - Parameter tensorInFile: The tensor's description in the file.
  init(_ tensorInFile: LiteModel.Tensor) {
    element = tensorInFile.element.stored ?? .float32
    grid = tensorInFile.quantization?.grid(of: tensorInFile.element)
  }

  /// Writes the bytes of an input to the engine's tensor. The number of bytes must equal the input's size.
  ///
  /// - Throws: `invalidInput` for an integer that does not fit an int32, because the engine computes with int32.
  func write(_ data: Data, to tensor: PortTensor) throws {
    let count: Int = tensor.form.shape.count
    if element == .float32, tensor.form == TensorDescriptor(tensor.form.shape) {
      data.withUnsafeBytes { bytes in
        // Safe: the tensor's memory has 4 bytes for each of its `count` elements.
        if let base = bytes.baseAddress {
          tensor.memory.copyMemory(from: base, byteCount: min(bytes.count, 4 * count))
        }
      }
      return
    }
    let constant = Constant(
      TensorType(tensor.form.shape, element.isInteger && element != .bool ? .int64 : .float32),
      StoredValues([UInt8](data), of: element))
    guard let values = try? constant.tensor() else {
      preconditionFailure("the data has the size of the tensor")
    }
    let storage: ElementType = tensor.form.storage
    let numbers: ReferenceTensor
    if let grid {
      numbers = ReferenceTensor(
        tensor.form.shape, values.reals.map { Double(grid.value(Int($0))) })
    } else if storage.isInteger {
      let range: ClosedRange<Int64> = storage.integerRange ?? Int64.min...Int64.max
      for (index, integer) in values.integerValues.enumerated()
      where !range.contains(integer) {
        throw EngineError(
          .invalidInput,
          "element \(index) of the data is \(integer), expected \(range.lowerBound) to "
            + "\(range.upperBound): \(element) tensors are computed in \(storage).")
      }
      numbers = values.converted(to: storage)
    } else {
      numbers = ReferenceTensor(tensor.form.shape, values.reals)
    }
    TensorCodec.pack(numbers, as: tensor.form, into: tensor.memory)
  }

  /// Returns the bytes of an output.
  func read(_ session: Session, _ position: Int) throws -> Data {
    let tensor: PortTensor = try session.output(position)
    let count: Int = tensor.form.shape.count
    if tensor.form.storage.isInteger {
      return packed(TensorCodec.unpack(tensor.memory, as: tensor.form).integerValues)
    }
    let numbers = try [Float](unsafeUninitializedCapacity: max(count, 1)) { memory, made in
      if let base = memory.baseAddress, count > 0 { try session.store(position, into: base) }
      made = count
    }
    if let grid { return packed(numbers.map { Int64(grid.integer($0)) }) }
    switch element {
    case .float32: return numbers.withUnsafeBytes { Data($0) }
    case .float16: return numbers.map { Float16($0) }.withUnsafeBytes { Data($0) }
    case .float64: return numbers.map { Double($0) }.withUnsafeBytes { Data($0) }
    default: return packed(numbers.map { element.integer(Double($0)) })
    }
  }

  /// Returns the integers in the file's element type: the low bytes of each integer, concatenated.
  private func packed(_ integerValues: [Int64]) -> Data {
    let size: Int = element.byteCount
    var data = Data(capacity: integerValues.count * size)
    for integer in integerValues {
      withUnsafeBytes(of: integer.littleEndian) { data.append(contentsOf: $0.prefix(size)) }
    }
    return data
  }
}
