/// A contiguous vector that vDSP and vForce read.
public protocol AccelerateBuffer<Element> {
  associatedtype Element
  /// The number of elements.
  var count: Int { get }
  /// Calls `body` with the elements.
  func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R
}

/// A contiguous vector that vDSP and vForce write.
public protocol AccelerateMutableBuffer<Element>: AccelerateBuffer {
  /// Calls `body` with the elements, which `body` may change.
  mutating func withUnsafeMutableBufferPointer<R>(
    _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
  ) rethrows -> R
}

extension Array: AccelerateMutableBuffer {}
extension ContiguousArray: AccelerateMutableBuffer {}
extension ArraySlice: AccelerateMutableBuffer {}

// Safe, in this file: each function passes a pointer on only during the call that received the pointer.

extension UnsafeBufferPointer: AccelerateBuffer {
  public func withUnsafeBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R {
    try body(self)
  }
}

extension UnsafeMutableBufferPointer: AccelerateMutableBuffer {
  public func withUnsafeBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R {
    try body(UnsafeBufferPointer(self))
  }

  public mutating func withUnsafeMutableBufferPointer<R>(
    _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
  ) rethrows -> R {
    try body(&self)
  }
}

extension Slice: AccelerateBuffer where Base: AccelerateBuffer {
  public func withUnsafeBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Base.Element>) throws -> R
  ) rethrows -> R {
    let start = base.distance(from: base.startIndex, to: startIndex)
    let length = distance(from: startIndex, to: endIndex)
    return try base.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[start..<start + length]))
    }
  }
}

extension Slice: AccelerateMutableBuffer where Base: AccelerateMutableBuffer & MutableCollection {
  public mutating func withUnsafeMutableBufferPointer<R>(
    _ body: (inout UnsafeMutableBufferPointer<Base.Element>) throws -> R
  ) rethrows -> R {
    let start = base.distance(from: base.startIndex, to: startIndex)
    let length = distance(from: startIndex, to: endIndex)
    // The slice holds a copy of its base, but the base of a slice of unsafe memory is that memory.
    var copy = base
    defer { self = Slice(base: copy, bounds: startIndex..<endIndex) }
    return try copy.withUnsafeMutableBufferPointer {
      var part = UnsafeMutableBufferPointer(rebasing: $0[start..<start + length])
      return try body(&part)
    }
  }
}
