/// Values that a network holds: weights in a mapped file, numbers that a pass computed, or a small tensor.
///
/// Values are decoded when somebody asks, and not kept. A constant has an ``identity``: kernels pack it
/// once per network by that, whatever number of shapes and plans there are.
public final class Constant: Sendable {
  /// What a constant is known by: two constants of equal identity hold equal values.
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
  }

  /// Keeps an identity from being given to another constant while somebody remembers it.
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

  /// The element type that a graph states, and the extents.
  public let type: TensorType
  /// What it is known by.
  public let identity: Identity
  private let source: Source
  /// The constants from which the values follow.
  private let ancestors: [Constant]
  /// The tokens of all constants that the identity names.
  private let tokens: Tokens

  /// An object that lives while the identity is taken; who remembers the identity keeps it.
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

  /// A tensor that is kept as it is.
  public convenience init(_ tensor: ReferenceTensor) {
    self.init(tensor.type, .tensor(tensor))
  }

  /// Values in row-major order.
  public convenience init(_ shape: Shape, _ values: [Float]) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    self.init(TensorType(shape), .floats(values))
  }

  /// Values as a file keeps them: plain, scaled, looked up or sparse.
  public convenience init(_ type: TensorType, _ values: StoredValues) {
    self.init(type, .stored(values))
  }

  /// Values that are decoded when they are asked for, as many as the shape has, in row-major order.
  public convenience init(
    _ type: TensorType, decode: @escaping @Sendable () throws -> [Float]
  ) {
    self.init(type, .deferred(decode))
  }

  /// Values that follow from other constants and are computed when they are asked for.
  ///
  /// - Parameter recipe: names the computation with all its numbers: the same recipe of the same
  ///   constants is the same constant.
  public convenience init(
    _ shape: Shape, recipe: String, of sources: [Constant],
    compute: @escaping @Sendable () throws -> [Float]
  ) {
    self.init(TensorType(shape), .deferred(compute), derived: (recipe, sources))
  }

  /// The same values under another shape of as many elements.
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

  /// The values, row-major.
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

  /// Writes the values, row-major, into memory for as many; without a copy in between where the file keeps
  /// them.
  public func write(to memory: UnsafeMutablePointer<Float>) throws {
    let target = UnsafeMutableBufferPointer(start: memory, count: count)
    if case .stored(let stored) = source { return try stored.decode(shape, into: target) }
    _ = target.update(fromContentsOf: try floats())
  }

  /// Whether the values lie in memory as they are: nothing is decoded for ``tensor()``.
  package var isTensor: Bool {
    if case .tensor = source { return true }
    return false
  }

  /// The values as the file keeps them, for kernels that read them so.
  public var stored: StoredValues? {
    if case .stored(let values) = source { return values }
    return nil
  }

  /// Tells the system that the values are not needed for a while (``ByteSource/giveBackPages()``).
  public func giveBackPages() {
    stored?.giveBackPages()
    for ancestor in ancestors { ancestor.giveBackPages() }
  }

  /// The values as `Double`, row-major.
  public func doubles() throws -> [Double] {
    if case .tensor(let tensor) = source { return tensor.reals }
    return try floats().map(Double.init)
  }

  /// The values with their shape. Integers that a file keeps as such are exact; those that the type cannot hold are
  /// kept to its range.
  public func tensor() throws -> ReferenceTensor {
    if case .tensor(let tensor) = source { return tensor }
    let element: ElementType = type.element
    guard element.isInteger else { return ReferenceTensor(shape, try doubles(), element) }
    if case .stored(let stored) = source, let wholes = try stored.wholes(shape) {
      guard element != .bool, let range = element.integerRange else {
        return ReferenceTensor(shape, wholes: wholes.map(element.wrapped), element)
      }
      return ReferenceTensor(
        shape,
        wholes: wholes.map { whole in
          // Of uint64 the largest numbers come as negative ones.
          stored.isUnsigned64 && whole < 0
            ? range.upperBound : Swift.min(Swift.max(whole, range.lowerBound), range.upperBound)
        }, element)
    }
    return ReferenceTensor(shape, wholes: try doubles().map(element.whole), element)
  }
}
