import Engine
import Foundation

/// Copies elements between multi-arrays and a network's tensors.
enum TensorTransfer {
  /// Copies the elements of an array, in row-major order, into a tensor with the same number of elements as the array.
  static func read(
    _ array: MLMultiArray, into memory: UnsafeMutableRawPointer, as form: TensorDescriptor
  ) {
    precondition(array.count == form.shape.count, "\(array.count) elements for \(form)")
    guard let type = form.storage.multiArrayType else {
      readSlowly(array, into: memory, as: form)
      return
    }
    let shape: [Int] = form.shape.dimensions
    if form.layout == .dense || form.isOrderFree {
      convertElements(
        from: array.memory.start, array.dataType, array.layout, to: memory, type,
        ArrayLayout(shape: array.layout.shape))
      return
    }
    // The conversion uses the tensor's shape instead of the array's, so the array must be contiguous.
    let ordered: MLMultiArray = array.layout.isContiguous ? array : array.contiguousCopy()
    convertElements(
      from: ordered.memory.start, ordered.dataType, ArrayLayout(shape: shape), to: memory, type,
      ArrayLayout(shape: shape, strides: form.strides))
  }

  /// Copies the elements of a tensor, in row-major order, into an array with the same number of elements as the tensor.
  static func write(
    _ memory: UnsafeMutableRawPointer, as form: TensorDescriptor, into array: MLMultiArray
  ) {
    precondition(array.count == form.shape.count, "\(array.count) elements for \(form)")
    if storeFloats(memory, as: form, into: array) { return }
    guard let type = form.storage.multiArrayType else {
      writeSlowly(memory, as: form, into: array)
      return
    }
    let shape: [Int] = form.shape.dimensions
    if form.layout == .dense || form.isOrderFree {
      convertElements(
        from: memory, type, ArrayLayout(shape: array.layout.shape), to: array.memory.start,
        array.dataType, array.layout)
      return
    }
    let ordered: MLMultiArray = array.layout.isContiguous ? array : array.contiguousCopy()
    convertElements(
      from: memory, type, ArrayLayout(shape: shape, strides: form.strides),
      to: ordered.memory.start, ordered.dataType, ArrayLayout(shape: shape))
    if ordered !== array { ordered.transfer(to: array) }
  }

  /// Copies a channels-last or bfloat16 tensor with a function of the engine. This is the fast path for large outputs.
  ///
  /// - Returns: Whether the engine copied the tensor. If false, the caller must use the general path.
  private static func storeFloats(
    _ memory: UnsafeMutableRawPointer, as form: TensorDescriptor, into array: MLMultiArray
  ) -> Bool {
    guard form.storage == .bfloat16 || form.storage == .float32 && form.layout != .dense,
      !form.isOrderFree || form.storage == .bfloat16, array.count > 0
    else { return false }
    if array.dataType == .float32, array.layout.isContiguous {
      // Safe: the array has as many float32 elements as the tensor, without gaps.
      return form.store(memory, into: array.memory.start.assumingMemoryBound(to: Float.self))
    }
    let floats = ArrayMemory(byteCount: array.count * 4)
    guard form.store(memory, into: floats.start.assumingMemoryBound(to: Float.self)) else {
      return false
    }
    convertElements(
      from: floats.start, .float32, ArrayLayout(shape: array.layout.shape),
      to: array.memory.start, array.dataType, array.layout)
    return true
  }

  /// Sets every element to one value.
  static func fill(
    _ value: Double, into memory: UnsafeMutableRawPointer, as form: TensorDescriptor
  ) {
    TensorCodec.pack(ReferenceTensor(form.shape, repeating: value), as: form, into: memory)
  }

  /// Copies an array into a tensor of an element type that multi-arrays do not support. Converts the elements to
  /// `Double` first, which represents 32-bit integers exactly.
  private static func readSlowly(
    _ array: MLMultiArray, into memory: UnsafeMutableRawPointer, as form: TensorDescriptor
  ) {
    let doubles = ArrayMemory(byteCount: array.count * 8)
    convertElements(
      from: array.memory.start, array.dataType, array.layout, to: doubles.start, .double,
      ArrayLayout(shape: array.layout.shape))
    let values = UnsafeBufferPointer(
      start: doubles.start.assumingMemoryBound(to: Double.self), count: array.count)
    if form.storage == .bfloat16 {
      // Safe: the memory has the size that the tensor's shape and strides need, and every offset is within that size.
      let target = memory.assumingMemoryBound(to: UInt16.self)
      var index: Int = 0
      ArrayLayout(shape: form.shape.dimensions, strides: form.strides).forEachOffset { offset in
        target[offset] = BFloat16.bits(of: values[index])
        index += 1
      }
      return
    }
    let tensor = ReferenceTensor(form.shape, Array(values), .float64)
    TensorCodec.pack(tensor, as: form, into: memory)
  }

  private static func writeSlowly(
    _ memory: UnsafeMutableRawPointer, as form: TensorDescriptor, into array: MLMultiArray
  ) {
    let doubles = ArrayMemory(byteCount: array.count * 8)
    let values: UnsafeMutablePointer<Double> = doubles.start.assumingMemoryBound(to: Double.self)
    for (index, value) in TensorCodec.unpack(memory, as: form).reals.enumerated() {
      values[index] = value
    }
    convertElements(
      from: doubles.start, .double, ArrayLayout(shape: array.layout.shape), to: array.memory.start,
      array.dataType, array.layout)
  }
}

extension ElementType {
  /// The multi-array data type with the same memory format; nil if there is no such type.
  fileprivate var multiArrayType: MLMultiArrayDataType? {
    switch self {
    case .float32: .float32
    case .float16: .float16
    case .float64: .double
    case .int32: .int32
    case .int8: .int8
    default: nil
    }
  }
}

extension MLMultiArray {
  /// Returns a copy of the elements in new memory without gaps.
  fileprivate func contiguousCopy() -> MLMultiArray {
    let contiguous = ArrayLayout(shape: layout.shape)
    let copy = MLMultiArray(
      memory: ArrayMemory(byteCount: contiguous.count * dataType.byteCount), layout: contiguous,
      dataType: dataType)
    transfer(to: copy)
    return copy
  }
}
