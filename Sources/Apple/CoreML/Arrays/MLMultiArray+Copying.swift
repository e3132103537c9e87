import Foundation

extension MLMultiArray {
  /// Makes a one-dimensional int32 array from integers.
  ///
  /// - Throws: ``MLModelError`` when an integer does not fit an `Int32`.
  public convenience init<C: Collection>(_ data: C) throws where C.Element: FixedWidthInteger {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .int32)
    let target: UnsafeMutablePointer<Int32> = memory.start.assumingMemoryBound(to: Int32.self)
    for (index, value) in data.enumerated() {
      guard let narrowed = Int32(exactly: value) else {
        throw MLModelError(
          .generic, "Element \(index) is \(value), which an int32 multi-array cannot hold.")
      }
      target[index] = narrowed
    }
  }

  /// Makes an array from numbers in row-major order, one number for each element. Conversion to an integer type
  /// truncates fractions.
  ///
  /// - Throws: ``MLModelError`` when `dataType` is an integer type whose range does not include one of the numbers, or
  ///   when the shape is not valid.
  package convenience init(
    checking numbers: [Double], shape: [Int], dataType: MLMultiArrayDataType
  ) throws {
    try self.init(numbers: numbers, shape: shape, dataType: dataType)
    precondition(numbers.count == count, "\(numbers.count) numbers for the shape \(shape)")
    let range: ClosedRange<Int>? =
      switch dataType {
      case .int32: Int(Int32.min)...Int(Int32.max)
      case .int8: Int(Int8.min)...Int(Int8.max)
      case .double, .float32, .float16: nil
      }
    guard let range else { return }
    for (index, number) in numbers.enumerated()
    where Int(exactly: number.rounded(.towardZero)).map(range.contains) != true {
      let stated: String = Int(exactly: number).map(String.init) ?? "\(number)"
      throw MLModelError(
        .featureType,
        "Element \(index) is \(stated), which an array of \(dataType.sentenceName) numbers cannot "
          + "hold; expected \(range.lowerBound) to \(range.upperBound).")
    }
  }

  /// Makes a one-dimensional double array from numbers.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Double {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .double)
    let target: UnsafeMutablePointer<Double> = memory.start.assumingMemoryBound(to: Double.self)
    for (index, value) in data.enumerated() { target[index] = value }
  }

  /// Makes a one-dimensional float32 array from numbers.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Float {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .float32)
    let target: UnsafeMutablePointer<Float> = memory.start.assumingMemoryBound(to: Float.self)
    for (index, value) in data.enumerated() { target[index] = value }
  }

  /// Makes an array with the shape and a copy of the elements of a shaped array.
  public convenience init<ShapedArray: MLShapedArrayProtocol>(_ shapedArray: ShapedArray) {
    let layout = ArrayLayout(shape: shapedArray.shape)
    let dataType: MLMultiArrayDataType = ShapedArray.Scalar.multiArrayDataType
    let memory = ArrayMemory(byteCount: layout.count * dataType.byteCount)
    let target = memory.start.assumingMemoryBound(to: ShapedArray.Scalar.self)
    shapedArray.withUnsafeShapedBufferPointer { pointer, shape, strides in
      let source = ArrayLayout(shape: shape, strides: strides)
      var index: Int = 0
      source.forEachOffset { offset in
        (target + index).initialize(to: pointer[offset])
        index += 1
      }
    }
    self.init(memory: memory, layout: layout, dataType: dataType)
  }

  /// Concatenates arrays along an axis. The arrays' shapes may differ only in that axis.
  public convenience init(
    byConcatenatingMultiArrays multiArrays: [MLMultiArray], alongAxis axis: Int,
    dataType: MLMultiArrayDataType
  ) {
    self.init(concatenating: multiArrays, axis: axis, dataType: dataType)
  }

  /// Concatenates arrays along an axis. The arrays' shapes may differ only in that axis.
  public convenience init(
    concatenating multiArrays: [MLMultiArray], axis: Int, dataType: MLMultiArrayDataType
  ) {
    guard var shape = multiArrays.first?.layout.shape else {
      preconditionFailure("Concatenation needs at least one multi-array.")
    }
    precondition(
      shape.indices.contains(axis), "Multi-arrays of shape \(shape) have no axis \(axis).")
    shape[axis] = 0
    for array in multiArrays {
      var rest: [Int] = array.layout.shape
      precondition(
        rest.count == shape.count, "Multi-arrays of different ranks cannot be concatenated.")
      let length: Int = rest[axis]
      rest[axis] = shape[axis]
      precondition(
        rest == shape,
        "Multi-arrays to concatenate along axis \(axis) differ in another axis: "
          + "\(array.layout.shape) does not fit \(shape).")
      shape[axis] += length
    }
    let layout = ArrayLayout(shape: shape)
    let memory = ArrayMemory(byteCount: layout.count * dataType.byteCount)
    var start: Int = 0
    for array in multiArrays {
      let part = ArrayLayout(shape: array.layout.shape, strides: layout.strides)
      convertElements(
        from: array.memory.start, array.dataType, array.layout,
        to: memory.start + start * layout.strides[axis] * dataType.byteCount, dataType, part)
      start += array.layout.shape[axis]
    }
    self.init(memory: memory, layout: layout, dataType: dataType)
  }

  /// Copies the elements into another array of the same shape, and converts the elements to that array's type.
  public func transfer(to destinationMultiArray: MLMultiArray) {
    precondition(
      layout.shape == destinationMultiArray.layout.shape,
      "Elements of shape \(layout.shape) cannot be transferred to a multi-array of shape "
        + "\(destinationMultiArray.layout.shape).")
    convertElements(
      from: memory.start, dataType, layout, to: destinationMultiArray.memory.start,
      destinationMultiArray.dataType, destinationMultiArray.layout)
  }
}
