import Glibc

/// A tensor between the segments of a plan during a run: its form and its memory. Several values may share memory.
///
/// Only the code that made a value writes it, or an owner that holds the only reference to the value. Only one session
/// reads a value.
final class RunValue {
  /// Shape, stored type and layout.
  let form: TensorDescriptor
  /// The address of the first element.
  let pointer: UnsafeMutableRawPointer
  /// The size of the memory in bytes. It exceeds the form's size if the tensor may get longer.
  let capacity: Int
  /// The owner of the memory, which is a buffer or a constant. Nil for views.
  private let owner: AnyObject?
  /// The value that owns the memory, if this value is a view. Otherwise nil.
  private var origin: RunValue?
  private let account: MemoryAccount?
  /// In a value that owns memory: how many bytes, from the start of the memory, belong to values.
  private var usedByteCount = 0

  /// Allocates memory for a form without writing to it. With `capacity`, the memory has at least this number of bytes
  /// and is zeroed. Throws `outOfMemory` for forms that do not fit.
  init(_ form: TensorDescriptor, _ account: MemoryAccount, capacity: Int = 0) throws {
    guard form.shape.isMeasurable else {
      throw EngineError(
        .outOfMemory,
        "a tensor of \(form.shape) does not fit into free memory; use a smaller input.")
    }
    let byteCount: Int = max(form.byteCount, capacity)
    try account.take(byteCount, for: form.shape)
    do {
      let buffer = try AlignedBuffer(byteCount: byteCount)
      (owner, pointer) = (buffer, buffer.pointer)
      if capacity > 0 { memset(buffer.pointer, 0, byteCount) }
    } catch {
      account.giveBack(byteCount)
      throw error
    }
    self.form = form
    self.capacity = byteCount
    self.account = account
    usedByteCount = form.byteCount
  }

  /// Creates a value in the memory of another value. The form must fit into that memory.
  init(_ form: TensorDescriptor, viewing other: RunValue) {
    self.form = form
    pointer = other.pointer
    capacity = other.capacity
    owner = nil
    origin = other.origin ?? other
    account = nil
  }

  /// Creates a value in the memory of a constant.
  init(_ form: TensorDescriptor, constant: PackedWeight) {
    self.form = form
    pointer = constant.pointer
    capacity = form.byteCount
    owner = constant
    account = nil
  }

  deinit { account?.giveBack(capacity) }

  /// The value that owns the memory of this value.
  private var root: RunValue? {
    let value = origin ?? self
    return value.account == nil ? nil : value
  }

  /// Returns whether only the caller refers to the memory, so that it may be overwritten.
  static func isAlone(_ value: inout RunValue) -> Bool {
    guard isKnownUniquelyReferenced(&value) else { return false }
    if value.origin == nil { return value.account != nil }
    return isKnownUniquelyReferenced(&value.origin) && value.origin?.account != nil
  }

  /// Sets how many bytes of the memory belong to values. Called after the memory was overwritten.
  func use(_ byteCount: Int) { usedByteCount = byteCount }

  /// Returns the memory after this tensor, for further elements of it. Nil if the capacity is too small, or if another
  /// value has been extended into that memory already.
  func memory(extendingTo byteCount: Int) -> UnsafeMutableRawPointer? {
    guard let root, root.usedByteCount == form.byteCount, root.capacity >= byteCount else {
      return nil
    }
    root.usedByteCount = byteCount
    return pointer + form.byteCount
  }

  /// The value's type in the graph.
  var type: TensorType { TensorType(form.shape, form.storage) }

  /// The first element as a number. Nil for an empty tensor.
  var number: Double? {
    guard form.shape.count > 0 else { return nil }
    // Safe: the memory holds at least one element of this type.
    switch form.storage {
    case .float32: return Double(pointer.load(as: Float.self))
    case .int32: return Double(pointer.load(as: Int32.self))
    case .bool: return pointer.load(as: UInt8.self) == 0 ? 0 : 1
    default:
      return TensorCodec.unpack(pointer, as: TensorDescriptor([1], form.storage)).reals[0]
    }
  }

  /// The elements as a tensor for reference implementations and shape inference.
  var values: ReferenceTensor {
    guard form == TensorDescriptor(form.shape) else {
      return TensorCodec.unpack(pointer, as: form)
    }
    // Safe: the memory holds as many floats as the shape has elements.
    let floats = pointer.assumingMemoryBound(to: Float.self)
    return ReferenceTensor(form.shape, (0..<form.shape.count).map { Double(floats[$0]) })
  }

  /// Writes the values of a tensor.
  func write(_ tensor: ReferenceTensor) {
    guard form == TensorDescriptor(form.shape) else {
      return TensorCodec.pack(tensor, as: form, into: pointer)
    }
    // Safe: the memory holds as many floats as the shape has elements.
    let floats = pointer.assumingMemoryBound(to: Float.self)
    for (position, value) in tensor.reals.enumerated() { floats[position] = Float(value) }
  }
}
