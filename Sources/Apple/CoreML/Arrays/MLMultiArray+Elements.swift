import Foundation

// An assignment to an integer element truncates the number towards zero and clamps it to the type's range. NaN becomes
// 0. An assignment to a floating-point element stores the nearest number that the type can represent.

extension MLMultiArray {
  /// The element at an index in row-major order. The order does not depend on the strides.
  public subscript(idx: Int) -> NSNumber {
    get {
      checkIndex(idx)
      return element(atOffset: layout.offset(ofLinearIndex: idx))
    }
    set {
      checkIndex(idx)
      setElement(newValue, atOffset: layout.offset(ofLinearIndex: idx))
    }
  }

  /// The element at the given indices, one per axis.
  public subscript(key: [NSNumber]) -> NSNumber {
    get { element(atOffset: offset(of: key.count) { key[$0].intValue }) }
    set { setElement(newValue, atOffset: offset(of: key.count) { key[$0].intValue }) }
  }

  /// The element at the given indices, one per axis.
  ///
  /// Not in Apple's framework. There, callers write `[x, y] as [NSNumber]`, and Swift bridges the integers. Swift on
  /// Linux has no such bridging.
  public subscript(key: [Int]) -> NSNumber {
    get { element(atOffset: offset(of: key.count) { key[$0] }) }
    set { setElement(newValue, atOffset: offset(of: key.count) { key[$0] }) }
  }

  @inline(__always)
  private func offset(of keyCount: Int, index: (Int) -> Int) -> Int {
    precondition(
      keyCount == layout.shape.count,
      "An index of \(keyCount) numbers was used on a multi-array with \(layout.shape.count) axes.")
    var offset: Int = 0
    for axis in 0..<keyCount {
      let position: Int = index(axis)
      precondition(
        position >= 0 && position < layout.shape[axis],
        "Index \(position) is out of range for axis \(axis) of a multi-array of shape "
          + "\(layout.shape).")
      offset += position * layout.strides[axis]
    }
    return offset
  }

  private func checkIndex(_ index: Int) {
    precondition(
      index >= 0 && index < layout.count,
      "Index \(index) is out of range for a multi-array of \(layout.count) elements.")
  }

  // Safe: the callers compute every offset from indices that they checked against the shape, and the memory has space
  // for `layout.span` elements of `dataType`.

  private func element(atOffset offset: Int) -> NSNumber {
    switch dataType {
    case .double: NSNumber(value: load(offset, Double.self))
    case .float32: NSNumber(value: load(offset, Float.self))
    case .float16: NSNumber(value: Float(load(offset, Float16.self)))
    case .int32: NSNumber(value: load(offset, Int32.self))
    case .int8: NSNumber(value: load(offset, Int8.self))
    }
  }

  private func setElement(_ number: NSNumber, atOffset offset: Int) {
    switch dataType {
    case .double: store(number.doubleValue, offset)
    case .float32: store(number.floatValue, offset)
    case .float16: store(Float16(number.floatValue), offset)
    case .int32: store(number.clamped(to: Int32.self), offset)
    case .int8: store(number.clamped(to: Int8.self), offset)
    }
  }

  @inline(__always)
  private func load<T>(_ offset: Int, _ type: T.Type) -> T {
    memory.start.assumingMemoryBound(to: T.self)[offset]
  }

  @inline(__always)
  private func store<T>(_ value: T, _ offset: Int) {
    memory.start.assumingMemoryBound(to: T.self)[offset] = value
  }

  func equals(_ other: MLMultiArray) -> Bool {
    if other === self { return true }
    guard dataType == other.dataType, layout.shape == other.layout.shape else { return false }
    switch dataType {
    case .double: return holdsSame(as: other, Double.self)
    case .float32: return holdsSame(as: other, Float.self)
    case .float16: return holdsSame(as: other, Float16.self)
    case .int32: return holdsSame(as: other, Int32.self)
    case .int8: return holdsSame(as: other, Int8.self)
    }
  }

  private func holdsSame<T: Equatable>(as other: MLMultiArray, _ type: T.Type) -> Bool {
    for index in 0..<count {
      let mine: T = load(layout.offset(ofLinearIndex: index), type)
      let theirs: T = other.load(other.layout.offset(ofLinearIndex: index), type)
      if mine != theirs { return false }
    }
    return true
  }
}

extension NSNumber {
  /// Returns the number, truncated towards zero and clamped to the range of a type. NaN becomes 0. Foundation's
  /// `int32Value` returns the low bits of a number out of range and does not clamp it.
  fileprivate func clamped<Value: FixedWidthInteger & MLShapedArrayScalar>(
    to type: Value.Type
  ) -> Value {
    switch UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): Value._converted(from: doubleValue)
    case UInt8(ascii: "Q"): Value(clamping: uint64Value)
    default: Value(clamping: int64Value)
    }
  }
}
