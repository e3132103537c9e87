import Engine
import Foundation

extension MLTensor {
  /// Makes a tensor from a shaped array.
  public init<ShapedArray>(_ shapedArray: ShapedArray)
  where ShapedArray: MLShapedArrayProtocol, ShapedArray.Scalar: MLTensorScalar {
    self.init(shape: shapedArray.shape, scalars: shapedArray.scalars)
  }

  /// Makes a one-dimensional tensor from numbers.
  public init(_ scalars: some Collection<Float>) {
    self.init(shape: [scalars.count], scalars: scalars)
  }

  /// Makes a one-dimensional tensor from numbers.
  public init<Scalar: MLTensorScalar>(
    _ scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self
  ) {
    self.init(shape: [scalars.count], scalars: scalars, scalarType: scalarType)
  }

  /// Stacks tensors of equal shape along a new axis.
  public init(_ elements: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    self.init(stacking: elements, alongAxis: axis)
  }

  /// Makes a scalar tensor, which holds one number and has no axes.
  public init<Scalar: MLTensorScalar>(_ value: Scalar, scalarType: Scalar.Type = Scalar.self) {
    self.init(shape: [], scalars: [value], scalarType: scalarType)
  }

  /// Makes a tensor from numbers in row-major order, one number for each element.
  public init(shape: [Int], scalars: some Collection<Float>) {
    self = [Float](scalars).withUnsafeBytes { bytes in
      MLTensor(bytes: bytes, shape: shape, element: .float32)
    }
  }

  /// Makes a tensor from scalars in row-major order, one scalar for each element.
  public init<Scalar: MLTensorScalar>(
    shape: [Int], scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self
  ) {
    self = [Scalar](scalars).withUnsafeBytes { bytes in
      MLTensor(bytes: bytes, shape: shape, element: ElementType(scalarType))
    }
  }

  /// Makes a tensor from the bytes of scalars in row-major order.
  public init(shape: [Int], data: Data, scalarType: any MLTensorScalar.Type) {
    self = data.withUnsafeBytes { bytes in
      MLTensor(bytes: bytes, shape: shape, element: ElementType(scalarType))
    }
  }

  /// Makes a tensor from memory with scalars in row-major order. The initialiser copies the scalars, and then calls the
  /// deallocator before it returns.
  public init(
    bytesNoCopy bytes: UnsafeRawBufferPointer, shape: [Int], scalarType: any MLTensorScalar.Type,
    deallocator: Data.Deallocator
  ) {
    self.init(bytes: bytes, shape: shape, element: ElementType(scalarType))
    guard let start = bytes.baseAddress else { return }
    // Safe: a caller that passes a deallocator passes the ownership of the memory.
    let memory = UnsafeMutableRawPointer(mutating: start)
    releaseFunction(of: deallocator, byteCount: bytes.count)?(memory)
  }

  /// Makes a tensor, and calls the closure with the tensor's uninitialised memory. The closure must write every element
  /// in row-major order.
  public init(
    unsafeUninitializedShape shape: [Int], scalarType: any MLTensorScalar.Type,
    initializingWith initializer: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows {
    let element = ElementType(scalarType)
    let count: Int = (checkedElementCount(of: shape) ?? 0) * element.byteCount
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    defer { buffer.deallocate() }
    try initializer(buffer)
    self.init(bytes: UnsafeRawBufferPointer(buffer), shape: shape, element: element)
  }
}

// MARK: - Constant, evenly spaced and random numbers

extension MLTensor {
  /// Makes a tensor with every element set to one number.
  public init(repeating repeatedValue: Float, shape: [Int]) {
    self.init(repeating: repeatedValue, shape: shape, scalarType: Float.self)
  }

  /// Makes a tensor with every element set to one value.
  public init<Scalar: MLTensorScalar>(
    repeating repeatedValue: Scalar, shape: [Int], scalarType: Scalar.Type = Scalar.self
  ) {
    let count: Int = checkedElementCount(of: shape) ?? 0
    self.init(
      shape: shape, scalars: repeatElement(repeatedValue, count: count), scalarType: scalarType)
  }

  /// Makes a tensor of zeros.
  public init<Scalar>(zeros shape: [Int], scalarType: Scalar.Type = Scalar.self)
  where
    Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger
  {
    self.init(repeating: Scalar(0), shape: shape, scalarType: scalarType)
  }

  /// Makes a tensor of zeros.
  public init<Scalar>(zeros shape: [Int], scalarType: Scalar.Type = Scalar.self)
  where Scalar: MLTensorScalar, Scalar: FixedWidthInteger {
    self.init(repeating: Scalar(0), shape: shape, scalarType: scalarType)
  }

  /// Makes a tensor of ones.
  public init<Scalar>(ones shape: [Int], scalarType: Scalar.Type = Scalar.self)
  where
    Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger
  {
    self.init(repeating: Scalar(1), shape: shape, scalarType: scalarType)
  }

  /// Makes a tensor of ones.
  public init<Scalar>(ones shape: [Int], scalarType: Scalar.Type = Scalar.self)
  where Scalar: MLTensorScalar, Scalar: FixedWidthInteger {
    self.init(repeating: Scalar(1), shape: shape, scalarType: scalarType)
  }

  /// Makes a one-dimensional tensor of evenly spaced numbers, including `start` and `end`.
  public init(linearSpaceFrom start: Float, through end: Float, count: Int) {
    self.init(linearSpaceFrom: start, through: end, count: count, scalarType: Float.self)
  }

  /// Makes a one-dimensional tensor of evenly spaced numbers, including `start` and `end`.
  public init<Scalar>(
    linearSpaceFrom start: Scalar, through end: Scalar, count: Int,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint {
    precondition(count > 0, "A linear space needs at least 1 number, but the count is \(count).")
    let step = (Double(end) - Double(start)) / Double(Swift.max(count - 1, 1))
    self.init(
      shape: [count], scalars: (0..<count).map { Scalar(Double(start) + step * Double($0)) },
      scalarType: scalarType)
  }

  /// Makes a one-dimensional tensor of evenly spaced numbers, including `start` but not `end`.
  public init(rangeFrom start: Float, to end: Float, by stride: Float.Stride) {
    self.init(Array(Swift.stride(from: start, to: end, by: stride)))
  }

  /// Makes a one-dimensional tensor of evenly spaced numbers, including `start` but not `end`.
  public init<Scalar>(
    rangeFrom start: Scalar, to end: Scalar, by stride: Scalar.Stride,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: Strideable {
    self.init(Array(Swift.stride(from: start, to: end, by: stride)), scalarType: scalarType)
  }

  /// Makes a tensor of normally distributed random numbers. Calls with equal seeds give equal numbers.
  public init<Scalar>(
    randomNormal shape: [Int], mean: Scalar = Scalar(0.0),
    standardDeviation: Scalar = Scalar(1.0), seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint {
    self.init(
      random: NormalDistribution(mean: Double(mean), deviation: Double(standardDeviation)),
      shape, seed, ElementType(scalarType))
  }

  /// Makes a tensor of uniformly distributed random numbers. Calls with equal seeds give equal numbers.
  public init<Scalar>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar> = 0...1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint {
    self.init(
      random: UniformDistribution(
        minimum: Double(bounds.lowerBound), maximum: Double(bounds.upperBound)),
      shape, seed, ElementType(scalarType))
  }

  /// Makes a tensor of uniformly distributed random numbers below an upper bound. Calls with equal seeds give equal
  /// numbers.
  ///
  /// - Precondition: The range is not empty.
  public init<Scalar>(
    randomUniform shape: [Int], in bounds: Range<Scalar>, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryFloatingPoint {
    precondition(!bounds.isEmpty, "The range \(bounds) of random numbers is empty.")
    // Rounding to the scalar type could give the upper bound, so the closed range ends below that bound.
    self.init(
      randomUniform: shape, in: bounds.lowerBound...bounds.upperBound.nextDown, seed: seed,
      scalarType: scalarType)
  }

  /// Makes a tensor of uniformly distributed random integers. Calls with equal seeds give equal numbers.
  public init<Scalar>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar> = 0...1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryInteger {
    let numbers = MLTensor(
      random: UniformDistribution(
        minimum: Double(bounds.lowerBound), maximum: Double(bounds.upperBound) + 1),
      shape, seed, .float32)
    // The random numbers are float32, which rounds the bounds of a large range. The integers could then exceed the
    // bounds, so this initialiser clamps them.
    let drawn: MLTensor = numbers.floor().cast(to: ElementType(scalarType))
    self = pointwiseMin(
      pointwiseMax(drawn, MLTensor(bounds.lowerBound)), MLTensor(bounds.upperBound))
  }

  /// Makes a tensor of uniformly distributed random integers below an upper bound. Calls with equal seeds give equal
  /// numbers.
  ///
  /// - Precondition: The range is not empty.
  public init<Scalar>(
    randomUniform shape: [Int], in bounds: Range<Scalar>, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) where Scalar: MLTensorScalar, Scalar: BinaryInteger {
    precondition(!bounds.isEmpty, "The range \(bounds) of random numbers is empty.")
    self.init(
      randomUniform: shape, in: bounds.lowerBound...(bounds.upperBound - 1), seed: seed,
      scalarType: scalarType)
  }

  private init(
    random distribution: some RandomDistribution, _ shape: [Int], _ seed: UInt64?,
    _ element: ElementType
  ) {
    let seed = seed ?? UInt64.random(in: 0...UInt64.max)
    self = MLTensor.make(
      RandomOperator(
        distribution, StaticShape(Self.graphShape(shape)), seed: Int64(seed & UInt64(Int64.max))),
      of: [], element: element, shape: shape)
  }
}
