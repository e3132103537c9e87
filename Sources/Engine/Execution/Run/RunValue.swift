import Glibc

/// A tensor between the segments of a plan while a network runs: its form and its memory, which other
/// values may share.
///
/// Written by whoever makes it, or by whoever alone holds it, and read by one session.
final class RunValue {
  /// Shape, stored type and layout.
  let form: TensorDescriptor
  /// The first element.
  let pointer: UnsafeMutableRawPointer
  /// The size of the memory, in bytes; more than the form's where the tensor may grow.
  let capacity: Int
  /// What keeps the memory: its own buffer or a constant's; nil for views.
  private let owner: AnyObject?
  /// The value that this is a view of.
  private var origin: RunValue?
  private let account: MemoryAccount?
  /// For memory of its own: how many bytes from the start belong to values.
  private var usedByteCount = 0

  /// Memory for a form, not yet written, or more of it, which is then zero. Throws `outOfMemory` for
  /// forms that do not fit.
  init(_ form: TensorDescriptor, _ account: MemoryAccount, capacity: Int = 0) throws {
    guard form.shape.isMeasurable else {
      throw EngineError(
        .outOfMemory,
        "a tensor of \(form.shape) does not fit the memory that is free; use a smaller input.")
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

  /// The memory of another value in another form of the same size.
  init(_ form: TensorDescriptor, viewing other: RunValue) {
    self.form = form
    pointer = other.pointer
    capacity = other.capacity
    owner = nil
    origin = other.origin ?? other
    account = nil
  }

  /// A constant's memory.
  init(_ form: TensorDescriptor, constant: PackedWeight) {
    self.form = form
    pointer = constant.pointer
    capacity = form.byteCount
    owner = constant
    account = nil
  }

  deinit { account?.giveBack(capacity) }

  /// The value with memory of its own that this one lies in.
  private var root: RunValue? {
    let value = origin ?? self
    return value.account == nil ? nil : value
  }

  /// Whether nobody but the caller holds the memory, which may then be written again.
  static func isAlone(_ value: inout RunValue) -> Bool {
    guard isKnownUniquelyReferenced(&value) else { return false }
    if value.origin == nil { return value.account != nil }
    return isKnownUniquelyReferenced(&value.origin) && value.origin?.account != nil
  }

  /// Notes how much of the memory belongs to values, when it was written anew.
  func use(_ byteCount: Int) { usedByteCount = byteCount }

  /// The memory after this tensor, to write more of it there; nil where there is no room, or where
  /// another value has grown there already.
  func memory(toGrowTo byteCount: Int) -> UnsafeMutableRawPointer? {
    guard let root, root.usedByteCount == form.byteCount, root.capacity >= byteCount else {
      return nil
    }
    root.usedByteCount = byteCount
    return pointer + form.byteCount
  }

  /// What the graph knows of it.
  var type: TensorType { TensorType(form.shape, form.storage) }

  /// The first element; nil for an empty tensor.
  var number: Double? {
    guard form.shape.count > 0 else { return nil }
    // Safe: the memory holds an element at least, of this type.
    switch form.storage {
    case .float32: return Double(pointer.load(as: Float.self))
    case .int32: return Double(pointer.load(as: Int32.self))
    case .bool: return pointer.load(as: UInt8.self) == 0 ? 0 : 1
    default:
      return TensorCodec.unpack(pointer, as: TensorDescriptor([1], form.storage)).reals[0]
    }
  }

  /// The values for an operator's definition or shape rule.
  var values: ReferenceTensor {
    guard form == TensorDescriptor(form.shape) else {
      return TensorCodec.unpack(pointer, as: form)
    }
    // Safe: the memory holds as many floats as the shape has elements.
    let floats = pointer.assumingMemoryBound(to: Float.self)
    return ReferenceTensor(form.shape, (0..<form.shape.count).map { Double(floats[$0]) })
  }

  /// Writes values.
  func write(_ tensor: ReferenceTensor) {
    guard form == TensorDescriptor(form.shape) else {
      return TensorCodec.pack(tensor, as: form, into: pointer)
    }
    // Safe: as above.
    let floats = pointer.assumingMemoryBound(to: Float.self)
    for (position, value) in tensor.reals.enumerated() { floats[position] = Float(value) }
  }
}
