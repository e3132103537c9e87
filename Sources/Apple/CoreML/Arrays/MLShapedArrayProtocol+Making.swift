import CoreVideo
import Foundation

extension MLShapedArrayProtocol {
  /// Makes an array of the slices of a literal, which must all have the same shape.
  public init(arrayLiteral elements: MLShapedArraySlice<Scalar>...) {
    let parts: [_ShapedStorage<Scalar>] = elements.map {
      $0._storage.reshaped(to: [1] + $0.shape)
    }
    self.init(
      _storage: parts.isEmpty
        ? _ShapedStorage(uninitializedShape: [0])
        : _ShapedStorage.concatenation(of: parts, alongAxis: 0))
  }

  /// Makes an array without axes that holds one number.
  public init(scalar: Scalar) {
    self.init(repeating: scalar, shape: [])
  }

  /// Makes an array of numbers in row-major order, as many as the shape has places.
  public init<S: Sequence>(scalars: S, shape: [Int]) where S.Element == Scalar {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: shape)
    var count: Int = 0
    for value in scalars {
      precondition(
        count < storage.layout.count,
        "More than \(storage.layout.count) numbers were given for the shape \(shape).")
      (storage.pointer + count).initialize(to: value)
      count += 1
    }
    precondition(
      count == storage.layout.count,
      "\(count) numbers were given for the shape \(shape), which has \(storage.layout.count).")
    self.init(_storage: storage)
  }

  /// Makes an array of one value throughout.
  public init(repeating value: Scalar, shape: [Int]) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: shape)
    storage.pointer.initialize(repeating: value, count: storage.layout.count)
    self.init(_storage: storage)
  }

  /// Makes a copy of a multi-array, whose data type must be that of `Scalar`.
  public init(_ multiArray: MLMultiArray) {
    precondition(
      multiArray.dataType == Scalar.multiArrayDataType,
      "A shaped array of \(Scalar.self) cannot hold a \(multiArray.dataType.sentenceName) "
        + "multi-array as it is; use init(converting:).")
    self.init(converting: multiArray)
  }

  /// Makes a copy of a multi-array, converting its numbers.
  public init(converting multiArray: MLMultiArray) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: multiArray.layout.shape)
    convertElements(
      from: multiArray.memory.start, multiArray.dataType, multiArray.layout,
      to: storage.memory.start, Scalar.multiArrayDataType, storage.layout)
    self.init(_storage: storage)
  }

  /// Makes a copy of another array or slice, converting its numbers.
  public init<T: MLShapedArrayProtocol>(converting source: T) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: source.shape)
    storage.assign(from: source._storage)
    self.init(_storage: storage)
  }

  /// Makes an array over memory that the caller provides, in row-major order.
  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], deallocator: Data.Deallocator) {
    self.init(
      _storage: _ShapedStorage(
        bytesNoCopy: bytes, layout: ArrayLayout(shape: shape), deallocator: deallocator))
  }

  /// Makes an array over memory that the caller provides, with strides in elements.
  public init(
    bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int],
    deallocator: Data.Deallocator
  ) {
    self.init(
      _storage: _ShapedStorage(
        bytesNoCopy: bytes, layout: ArrayLayout(shape: shape, strides: strides),
        deallocator: deallocator))
  }

  /// Makes an array of the bytes of `data`, in row-major order.
  public init(data: Data, shape: [Int]) {
    self.init(data: data, shape: shape, strides: ArrayLayout.contiguousStrides(of: shape))
  }

  /// Makes an array of the bytes of `data`, with strides in elements.
  public init(data: Data, shape: [Int], strides: [Int]) {
    let layout = ArrayLayout(shape: shape, strides: strides)
    let storage = _ShapedStorage<Scalar>(uninitialized: layout)
    let needed: Int = layout.span * MemoryLayout<Scalar>.stride
    precondition(
      data.count >= needed,
      "\(data.count) bytes are too few for the shape \(shape), which needs \(needed).")
    data.copyBytes(
      to: UnsafeMutableRawBufferPointer(start: storage.memory.start, count: needed),
      from: data.startIndex..<data.startIndex + needed)
    self.init(_storage: storage)
  }

  /// Makes a square matrix with ones on the diagonal and zeros elsewhere.
  public init(identityMatrixOfSize size: Int) {
    self.init(repeating: Scalar._zero, shape: [size, size])
    for index in 0..<size { _storage.pointer[index * (size + 1)] = Scalar._one }
  }

  /// Makes an array whose numbers `initializer` writes, in row-major order.
  public init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (inout UnsafeMutableBufferPointer<Scalar>, [Int]) throws -> Void
  ) rethrows {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: shape)
    var buffer = UnsafeMutableBufferPointer(start: storage.pointer, count: storage.layout.count)
    try initializer(&buffer, storage.layout.strides)
    self.init(_storage: storage)
  }

  /// Joins arrays along an axis. All must have the same shape but for that axis.
  public init<S: Sequence>(concatenating shapedArrays: S, alongAxis: Int)
  where S.Element: MLShapedArrayProtocol, S.Element.Scalar == Scalar {
    self.init(
      _storage: _ShapedStorage.concatenation(
        of: shapedArrays.map { $0._storage }, alongAxis: alongAxis))
  }

  /// Makes an array over the memory of a pixel buffer of half or single floats; writing to the
  /// array writes to the buffer.
  ///
  /// The last axis runs along the rows of the buffer, the others together along its columns.
  public init(mutating pixelBuffer: CVPixelBuffer, shape: [Int]) {
    let format: OSType = CVPixelBufferGetPixelFormatType(pixelBuffer)
    let fits: Bool
    switch Scalar.multiArrayDataType {
    case .float16: fits = format == kCVPixelFormatType_OneComponent16Half
    case .float32: fits = format == kCVPixelFormatType_OneComponent32Float
    default: fits = false
    }
    precondition(
      fits,
      "A shaped array of \(Scalar.self) cannot lie over a pixel buffer of the format "
        + "\(fourCharacterName(of: format)).")
    guard let memory = ArrayMemory(pixelBuffer: pixelBuffer) else {
      preconditionFailure("The pixel buffer has no memory that the processor can address.")
    }
    let rows: Int = shape.dropLast().reduce(1, *)
    precondition(
      shape.last == CVPixelBufferGetWidth(pixelBuffer)
        && rows == CVPixelBufferGetHeight(pixelBuffer),
      "The shape \(shape) does not fit a pixel buffer of \(CVPixelBufferGetWidth(pixelBuffer)) × "
        + "\(CVPixelBufferGetHeight(pixelBuffer)).")
    let row: Int = CVPixelBufferGetBytesPerRow(pixelBuffer) / MemoryLayout<Scalar>.stride
    let layout = ArrayLayout(shape: shape, strides: rowStrides(of: shape, row: row))
    self.init(_storage: _ShapedStorage(memory: memory, layout: layout))
  }
}

extension MLShapedArrayProtocol
where Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger {
  /// Makes an array of random numbers, evenly spread over a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    let count: Int = shape.reduce(1, *)
    self.init(scalars: (0..<count).lazy.map { _ in Scalar.random(in: range) }, shape: shape)
  }
}

extension MLShapedArrayProtocol where Scalar: FixedWidthInteger {
  /// Makes an array of random numbers, evenly spread over a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    let count: Int = shape.reduce(1, *)
    self.init(scalars: (0..<count).lazy.map { _ in Scalar.random(in: range) }, shape: shape)
  }
}
