import CoreVideo
import Foundation

extension MLShapedArrayProtocol {
  /// Makes an array from a literal whose elements are the slices along the first axis. All slices must have the same
  /// shape.
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

  /// Makes an array from numbers in row-major order, one number for each element.
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

  /// Makes an array with every element set to one value.
  public init(repeating value: Scalar, shape: [Int]) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: shape)
    storage.pointer.initialize(repeating: value, count: storage.layout.count)
    self.init(_storage: storage)
  }

  /// Makes a copy of a multi-array. The multi-array's data type must match `Scalar`.
  public init(_ multiArray: MLMultiArray) {
    precondition(
      multiArray.dataType == Scalar.multiArrayDataType,
      "A shaped array of \(Scalar.self) cannot hold a \(multiArray.dataType.sentenceName) "
        + "multi-array without conversion; use init(converting:).")
    self.init(converting: multiArray)
  }

  /// Makes a copy of a multi-array and converts its elements to `Scalar`.
  public init(converting multiArray: MLMultiArray) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: multiArray.layout.shape)
    convertElements(
      from: multiArray.memory.start, multiArray.dataType, multiArray.layout,
      to: storage.memory.start, Scalar.multiArrayDataType, storage.layout)
    self.init(_storage: storage)
  }

  /// Makes a copy of another array or slice and converts its elements to `Scalar`.
  public init<T: MLShapedArrayProtocol>(converting source: T) {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: source.shape)
    storage.assign(from: source._storage)
    self.init(_storage: storage)
  }

  /// Makes an array over the caller's memory, whose elements are in row-major order. The first write to the array
  /// copies the elements into new memory.
  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], deallocator: Data.Deallocator) {
    self.init(
      _storage: _ShapedStorage(
        bytesNoCopy: bytes, layout: ArrayLayout(shape: shape), deallocator: deallocator))
  }

  /// Makes an array over the caller's memory, with strides in elements. The first write to the array copies the
  /// elements into new memory.
  public init(
    bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int],
    deallocator: Data.Deallocator
  ) {
    self.init(
      _storage: _ShapedStorage(
        bytesNoCopy: bytes, layout: ArrayLayout(shape: shape, strides: strides),
        deallocator: deallocator))
  }

  /// Makes an array from a copy of the bytes of `data`, whose elements are in row-major order.
  public init(data: Data, shape: [Int]) {
    self.init(data: data, shape: shape, strides: ArrayLayout.contiguousStrides(of: shape))
  }

  /// Makes an array from a copy of the bytes of `data`, with strides in elements.
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

  /// Makes an identity matrix.
  public init(identityMatrixOfSize size: Int) {
    self.init(repeating: Scalar._zero, shape: [size, size])
    for index in 0..<size { _storage.pointer[index * (size + 1)] = Scalar._one }
  }

  /// Makes an array, and calls `initializer` with the array's uninitialised memory and the strides in elements.
  /// `initializer` must write every element. The elements of the memory are in row-major order.
  public init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (inout UnsafeMutableBufferPointer<Scalar>, [Int]) throws -> Void
  ) rethrows {
    let storage = _ShapedStorage<Scalar>(uninitializedShape: shape)
    var buffer = UnsafeMutableBufferPointer(start: storage.pointer, count: storage.layout.count)
    try initializer(&buffer, storage.layout.strides)
    self.init(_storage: storage)
  }

  /// Concatenates arrays along an axis. The arrays' shapes may differ only in that axis.
  public init<S: Sequence>(concatenating shapedArrays: S, alongAxis: Int)
  where S.Element: MLShapedArrayProtocol, S.Element.Scalar == Scalar {
    self.init(
      _storage: _ShapedStorage.concatenation(
        of: shapedArrays.map { $0._storage }, alongAxis: alongAxis))
  }

  /// Makes an array that uses the memory of a pixel buffer of 16-bit or 32-bit floats. Writing to the array writes to
  /// the buffer.
  ///
  /// The last axis is the buffer's width. The product of all other axes must equal the buffer's height.
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
      "A shaped array of \(Scalar.self) cannot use a pixel buffer of the format "
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
  /// Makes an array of random numbers, uniformly distributed over a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    let count: Int = shape.reduce(1, *)
    self.init(scalars: (0..<count).lazy.map { _ in Scalar.random(in: range) }, shape: shape)
  }
}

extension MLShapedArrayProtocol where Scalar: FixedWidthInteger {
  /// Makes an array of random numbers, uniformly distributed over a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    let count: Int = shape.reduce(1, *)
    self.init(scalars: (0..<count).lazy.map { _ in Scalar.random(in: range) }, shape: shape)
  }
}
