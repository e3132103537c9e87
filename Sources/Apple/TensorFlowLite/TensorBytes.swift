import Engine
import Foundation
import TensorFlowLiteFormat

/// The bytes of a tensor as the file's type has them, and the numbers that the engine computes with.
struct TensorBytes {
  private let element: ElementType
  private let grid: QuantizedGrid?

  /// The bytes of a tensor of the file.
  init(_ facts: LiteModel.Tensor) {
    element = facts.element.stored ?? .float32
    grid = facts.quantization?.grid(of: facts.element)
  }

  /// Writes bytes to an input; there are as many as it has.
  ///
  /// - Throws: `invalidInput` for an integer that the engine, which computes with int32, cannot hold.
  func write(_ data: Data, to tensor: BorderTensor) throws {
    let count: Int = tensor.form.shape.count
    if element == .float32, tensor.form == TensorDescriptor(tensor.form.shape) {
      data.withUnsafeBytes { bytes in
        // Safe: the memory has the size of its form, which the data was found to have.
        if let base = bytes.baseAddress {
          tensor.memory.copyMemory(from: base, byteCount: min(bytes.count, 4 * count))
        }
      }
      return
    }
    let constant = Constant(
      TensorType(tensor.form.shape, element.isInteger && element != .bool ? .int64 : .float32),
      StoredValues([UInt8](data), of: element))
    guard let codes = try? constant.tensor() else {
      preconditionFailure("the data was found to have the size of the tensor")
    }
    let held: ElementType = tensor.form.storage
    let numbers: ReferenceTensor
    if let grid {
      numbers = ReferenceTensor(
        tensor.form.shape, codes.reals.map { Double(grid.value(Int($0))) })
    } else if held.isInteger {
      let range: ClosedRange<Int64> = held.integerRange ?? Int64.min...Int64.max
      for (index, whole) in codes.wholes.enumerated()
      where !range.contains(whole) {
        throw EngineError(
          .invalidInput,
          "element \(index) of the data is \(whole), expected \(range.lowerBound) to "
            + "\(range.upperBound): \(element) tensors are computed in \(held).")
      }
      numbers = codes.converted(to: held)
    } else {
      numbers = ReferenceTensor(tensor.form.shape, codes.reals)
    }
    TensorCodec.pack(numbers, as: tensor.form, into: tensor.memory)
  }

  /// The bytes of an output.
  func read(_ session: Session, _ position: Int) throws -> Data {
    let tensor: BorderTensor = try session.output(position)
    let count: Int = tensor.form.shape.count
    if tensor.form.storage.isInteger {
      return packed(TensorCodec.unpack(tensor.memory, as: tensor.form).wholes)
    }
    let numbers = try [Float](unsafeUninitializedCapacity: max(count, 1)) { memory, made in
      if let base = memory.baseAddress, count > 0 { try session.store(position, into: base) }
      made = count
    }
    if let grid { return packed(numbers.map { Int64(grid.code($0)) }) }
    switch element {
    case .float32: return numbers.withUnsafeBytes { Data($0) }
    case .float16: return numbers.map { Float16($0) }.withUnsafeBytes { Data($0) }
    case .float64: return numbers.map { Double($0) }.withUnsafeBytes { Data($0) }
    default: return packed(numbers.map { element.whole(Double($0)) })
    }
  }

  /// Whole numbers side by side, the low bytes of each.
  private func packed(_ wholes: [Int64]) -> Data {
    let size: Int = element.byteCount
    var data = Data(capacity: wholes.count * size)
    for whole in wholes {
      withUnsafeBytes(of: whole.littleEndian) { data.append(contentsOf: $0.prefix(size)) }
    }
    return data
  }
}
