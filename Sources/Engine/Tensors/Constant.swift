/// Values that a network holds: weights in a mapped file, values that a pass computed, or a small tensor.
///
/// Each access decodes the values again. The store of packed weights uses a constant's ``identity`` as the key. So
/// kernels pack each constant only once per network and format, for all shapes and plans.
public final class Constant: Sendable {
  /// The key of a constant. Constants with equal identities hold equal values.
  public struct Identity: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
      case made(ObjectIdentifier)
      case derived(recipe: String, sources: [Identity])
    }
    private let kind: Kind

    fileprivate init(of object: AnyObject) { kind = .made(ObjectIdentifier(object)) }

    fileprivate init(recipe: String, sources: [Identity]) {
      kind = .derived(recipe: recipe, sources: sources)
    }

    fileprivate var isDerived: Bool {
      if case .derived = kind { return true }
      return false
    }
  }

  /// An object whose address is part of an identity. While the object lives, no other constant gets the same identity.
  private final class Token: Sendable {}

  private final class Tokens: Sendable {
    let all: [Token]
    init(_ all: [Token]) { self.all = all }
  }

  private enum Source: Sendable {
    case tensor(ReferenceTensor)
    case floats([Float])
    case stored(StoredValues)
    case deferred(@Sendable () throws -> [Float])
  }

  /// The constant's element type in the graph, and its extents.
  public let type: TensorType
  /// The key of the constant.
  public let identity: Identity
  private let source: Source
  /// The constants from which the values are computed.
  private let ancestors: [Constant]
  /// The tokens of all constants on which the identity depends.
  private let tokens: Tokens

  /// An object that reserves the identity. Code that stores the identity must retain it.
  public var lifetime: AnyObject { tokens }

  /// The extents, outermost first.
  public var shape: Shape { type.shape }
  /// The number of values.
  public var count: Int { shape.count }

  private init(_ type: TensorType, _ source: Source, derived: (String, [Constant])? = nil) {
    self.type = type
    self.source = source
    ancestors = derived?.1 ?? []
    if let (recipe, sources) = derived {
      tokens = Tokens(sources.flatMap(\.tokens.all))
      identity = Identity(recipe: recipe, sources: sources.map(\.identity))
    } else {
      let token = Token()
      tokens = Tokens([token])
      identity = Identity(of: token)
    }
  }

  /// Creates a constant that holds a tensor unchanged.
  public convenience init(_ tensor: ReferenceTensor) {
    self.init(tensor.type, .tensor(tensor))
  }

  /// Creates a constant of values in row-major order.
  public convenience init(_ shape: Shape, _ values: [Float]) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    self.init(TensorType(shape), .floats(values))
  }

  /// Creates a constant of values as a file stores them: plain, quantised, palettised or sparse.
  public convenience init(_ type: TensorType, _ values: StoredValues) {
    self.init(type, .stored(values))
  }

  /// Creates a constant whose values the closure returns on each access, in row-major order. The closure must return as
  /// many values as the shape has elements.
  public convenience init(
    _ type: TensorType, decode: @escaping @Sendable () throws -> [Float]
  ) {
    self.init(type, .deferred(decode))
  }

  /// Creates a constant whose values the closure computes from other constants on each access.
  ///
  /// - Parameter recipe: The name of the computation with all its parameters. Constants with the same recipe and the
  ///   same sources have the same ``identity``, so the closure must return the same values.
  public convenience init(
    _ shape: Shape, recipe: String, of sources: [Constant],
    compute: @escaping @Sendable () throws -> [Float]
  ) {
    self.init(TensorType(shape), .deferred(compute), derived: (recipe, sources))
  }

  /// Returns a constant with the same values and another shape, which must have the same number of elements.
  public func reshaped(to shape: Shape) -> Constant {
    precondition(shape.count == count, "\(self.shape) under the shape \(shape)")
    if shape == self.shape { return self }
    let reshaped: Source
    switch source {
    case .tensor(let tensor): reshaped = .tensor(tensor.reshaped(to: shape))
    case .stored(let stored) where stored.isPlain: reshaped = .stored(stored)
    default: reshaped = .deferred { [self] in try floats() }
    }
    return Constant(
      TensorType(shape, type.element), reshaped, derived: ("as \(shape)", [self]))
  }

  /// Returns the values in row-major order.
  public func floats() throws -> [Float] {
    switch source {
    case .tensor(let tensor): return tensor.reals.map { Float($0) }
    case .floats(let values): return values
    case .stored(let stored):
      return try [Float](unsafeUninitializedCapacity: count) { target, initialized in
        try stored.decode(shape, into: UnsafeMutableBufferPointer(rebasing: target[..<count]))
        initialized = count
      }
    case .deferred(let decode): return try decode()
    }
  }

  /// Calls the closure with the values in row-major order, which are valid during the call. Floats that a file stores
  /// are not copied.
  public func withFloats<Result>(
    _ body: (UnsafeBufferPointer<Float>) throws -> Result
  ) throws -> Result {
    if let stored, stored.storedElement == .float32, stored.byteCount == count * 4 {
      let result: Result?? = try stored.withPlainBytes { bytes in
        guard UInt(bitPattern: bytes.baseAddress) % 4 == 0 else { return nil }
        // Safe: the bytes are aligned and hold `count` floats. Files store them in little-endian order, as this machine
        // does.
        return try body(bytes.bindMemory(to: Float.self))
      }
      if case .some(.some(let result)) = result { return result }
    }
    return try floats().withUnsafeBufferPointer(body)
  }

  /// Returns the values at some indices in row-major order. If a file stores the values as plain floats, only these are read.
  package func floats(at indices: [Int]) throws -> [Float] {
    if let values = stored?.plainFloats(at: indices) { return values }
    return try withFloats { floats in indices.map { floats[$0] } }
  }

  /// Writes the values in row-major order to memory that has space for ``count`` floats. Values that a file stores are
  /// written without an intermediate copy.
  public func write(to memory: UnsafeMutablePointer<Float>) throws {
    let target = UnsafeMutableBufferPointer(start: memory, count: count)
    if case .stored(let stored) = source { return try stored.decode(shape, into: target) }
    _ = target.update(fromContentsOf: try floats())
  }

  /// Whether the constant holds a tensor. If so, ``tensor()`` need not decode values.
  package var isTensor: Bool {
    if case .tensor = source { return true }
    return false
  }

  /// The number of values that memory or a file must hold for this constant. If the values are computed from other
  /// constants on access, the other constants count instead, but no more than ``count`` in total. If the values are
  /// computed without other constants, this is 0.
  package var heldCount: Int {
    guard case .deferred = source, identity.isDerived else { return count }
    return Swift.min(count, ancestors.map(\.heldCount).saturatingSum)
  }

  /// The values as the file stores them, for kernels that read this format.
  public var stored: StoredValues? {
    if case .stored(let values) = source { return values }
    return nil
  }

  /// Tells the system that nothing reads the values for a while (``ByteSource/releasePages()``).
  public func releasePages() {
    stored?.releasePages()
    for ancestor in ancestors { ancestor.releasePages() }
  }

  /// Returns the values as `Double` in row-major order.
  public func doubles() throws -> [Double] {
    if case .tensor(let tensor) = source { return tensor.reals }
    return try floats().map(Double.init)
  }

  /// Returns the values as a tensor of the constant's type and shape. Integers that a file stores as integers are
  /// exact. Integers outside the range of the type are clamped.
  public func tensor() throws -> ReferenceTensor {
    if case .tensor(let tensor) = source { return tensor }
    let element: ElementType = type.element
    guard element.isInteger else { return ReferenceTensor(shape, try doubles(), element) }
    if case .stored(let stored) = source, let integerValues = try stored.integerValues(shape) {
      guard element != .bool, let range = element.integerRange else {
        return ReferenceTensor(shape, integerValues: integerValues.map(element.wrapped), element)
      }
      return ReferenceTensor(
        shape,
        integerValues: integerValues.map { integer in
          // The largest uint64 values are stored as negative Int64 values.
          stored.isUnsigned64 && integer < 0
            ? range.upperBound : Swift.min(Swift.max(integer, range.lowerBound), range.upperBound)
        }, element)
    }
    return ReferenceTensor(shape, integerValues: try doubles().map(element.integer), element)
  }
}
