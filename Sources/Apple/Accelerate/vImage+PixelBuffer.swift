import Foundation

extension vImage {
  /// The pixels of an image in one or more planes. Copies of a buffer share its memory.
  public struct PixelBuffer<Format: PixelFormat> {
    /// The memory of the planes.
    final class Storage {
      let buffers: [vImage_Buffer]
      /// Buffers whose memory this one uses.
      private let owners: [AnyObject]
      private let ownsMemory: Bool

      init(_ buffers: [vImage_Buffer], ownsMemory: Bool, owners: [AnyObject] = []) {
        (self.buffers, self.ownsMemory, self.owners) = (buffers, ownsMemory, owners)
      }

      deinit {
        if ownsMemory { for buffer in buffers { free(buffer.data) } }
      }
    }

    let storage: Storage

    init(_ storage: Storage) { self.storage = storage }

    /// The width in pixels.
    public var width: Int { Int(storage.buffers[0].width) }
    /// The height in pixels.
    public var height: Int { Int(storage.buffers[0].height) }
    /// The width and the height in pixels.
    public var size: vImage.Size { vImage.Size(width: width, height: height) }

    /// Calls a closure with the first plane.
    @discardableResult
    public func withUnsafePointerToVImageBuffer<R>(
      _ body: (UnsafePointer<vImage_Buffer>) throws -> R
    ) rethrows -> R {
      try withUnsafePointer(to: storage.buffers[0]) { try body($0) }
    }
  }
}

extension vImage.PixelBuffer where Format: StaticPixelFormat {
  /// Makes a buffer with all components 0.
  public init(width: Int, height: Int) {
    self.init(size: vImage.Size(width: width, height: height))
  }

  /// Makes a buffer with all components 0.
  public init(size: vImage.Size) {
    precondition(size.width > 0 && size.height > 0, "A pixel buffer needs a positive size.")
    let pixel: Int = Format.channelsPerPlane * Format.bitCountPerComponent
    let buffers: [vImage_Buffer] = (0..<Format.planeCount).map { _ in
      guard
        let buffer = try? vImage_Buffer(
          width: size.width, height: size.height, bitsPerPixel: UInt32(pixel)),
        let data = buffer.data
      else { fatalError("There is no memory for a buffer of \(size.width) × \(size.height).") }
      // Safe: the buffer has `height` rows of `rowBytes` bytes.
      memset(data, 0, buffer.rowBytes * size.height)
      return buffer
    }
    self.init(Storage(buffers, ownsMemory: true))
  }

  /// The number of channels.
  public var channelCount: Int { Format.channelCount }

  /// Copies the components into another buffer of the same size.
  public func copy(to destination: vImage.PixelBuffer<Format>) {
    requireSameSize(destination.size)
    for (from, to) in zip(storage.buffers, destination.storage.buffers) {
      var to = to
      try? from.copy(
        destinationBuffer: &to,
        pixelSize: Format.channelsPerPlane * MemoryLayout<Format.ComponentType>.stride)
    }
  }

  func requireSameSize(_ other: vImage.Size) {
    precondition(
      size == other,
      "The buffers are \(width) × \(height) and \(other.width) × \(other.height), expected equal sizes."
    )
  }

  /// The planes as planes of single components, for functions that treat all components alike.
  var flatPlanes: [vImage_Buffer] {
    storage.buffers.map { plane in
      var plane: vImage_Buffer = plane
      plane.width *= vImagePixelCount(Format.channelsPerPlane)
      return plane
    }
  }
}

extension vImage.PixelBuffer where Format: SinglePlanePixelFormat {
  /// Uses memory of the caller, which must live as long as the buffer.
  ///
  /// - Parameter byteCountPerRow: The bytes of a row; nil for rows without gaps.
  public init(
    data: UnsafeMutableRawPointer, width: Int, height: Int, byteCountPerRow: Int? = nil,
    pixelFormat: Format.Type = Format.self
  ) {
    let rowBytes: Int = width * Format.bitCountPerPixel / 8
    precondition(
      width > 0 && height > 0 && (byteCountPerRow ?? rowBytes) >= rowBytes,
      "A pixel buffer needs a positive size, and rows of at least \(rowBytes) bytes.")
    let buffer = vImage_Buffer(
      data: data, height: vImagePixelCount(height), width: vImagePixelCount(width),
      rowBytes: byteCountPerRow ?? rowBytes)
    self.init(Storage([buffer], ownsMemory: false))
  }

  /// Makes a buffer with these components.
  public init(
    pixelValues: [Format.ComponentType], size: vImage.Size, pixelFormat: Format.Type = Format.self
  ) {
    self.init(size: size)
    let line: Int = size.width * Format.channelCount
    precondition(
      pixelValues.count >= line * size.height,
      "There are \(pixelValues.count) components, expected \(line * size.height).")
    pixelValues.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress else { return }
      let bytesPerLine: Int = line * MemoryLayout<Format.ComponentType>.stride
      for row in 0..<size.height {
        // Safe: the buffer was made with this size, and there are enough values.
        memcpy(storage.buffers[0].data + row * rowBytes, from + row * bytesPerLine, bytesPerLine)
      }
    }
  }

  private var rowBytes: Int { storage.buffers[0].rowBytes }

  /// The bytes of a pixel.
  public var byteCountPerPixel: Int { Format.bitCountPerPixel / 8 }
  /// The components from one row to the next.
  public var rowStride: Int { rowBytes / MemoryLayout<Format.ComponentType>.stride }

  /// The components, row by row without gaps.
  public var array: [Format.ComponentType] {
    (0..<height).flatMap { row in
      // Safe: each row has `width` pixels.
      UnsafeBufferPointer(
        start: (storage.buffers[0].data + row * rowBytes)
          .assumingMemoryBound(to: Format.ComponentType.self), count: width * Format.channelCount)
    }
  }

  /// Calls a closure with the memory, gaps between rows included.
  public func withUnsafeBufferPointer<R>(
    _ body: (UnsafeBufferPointer<Format.ComponentType>) throws -> R
  ) rethrows -> R {
    // Safe: the last row ends with its last pixel.
    try body(
      UnsafeBufferPointer(
        start: storage.buffers[0].data.assumingMemoryBound(to: Format.ComponentType.self),
        count: (height - 1) * rowStride + width * Format.channelCount))
  }

  /// Calls a closure with the memory, gaps between rows included.
  public func withUnsafeMutableBufferPointer<R>(
    _ body: (UnsafeMutableBufferPointer<Format.ComponentType>) throws -> R
  ) rethrows -> R {
    try withUnsafeBufferPointer { try body(UnsafeMutableBufferPointer(mutating: $0)) }
  }
}

extension vImage.PixelBuffer where Format: MultiplePlanePixelFormat {
  /// Makes a buffer that uses the memory of planes.
  public init(planarBuffers: [vImage.PixelBuffer<Format.PlanarPixelFormat>]) {
    precondition(
      planarBuffers.count == Format.channelCount
        && planarBuffers.allSatisfy { $0.size == planarBuffers[0].size },
      "There are \(planarBuffers.count) planes, expected \(Format.channelCount) of the same size.")
    self.init(
      Storage(
        planarBuffers.map { $0.storage.buffers[0] }, ownsMemory: false,
        owners: planarBuffers.map(\.storage)))
  }

  /// Calls a closure with one plane.
  public func withUnsafePixelBuffer<R>(
    at index: Int, _ body: (vImage.PixelBuffer<Format.PlanarPixelFormat>) throws -> R
  ) rethrows -> R { try body(plane(index)) }

  /// Calls a closure with all planes.
  public func withUnsafePixelBuffers<R>(
    _ body: ([vImage.PixelBuffer<Format.PlanarPixelFormat>]) throws -> R
  ) rethrows -> R { try body((0..<Format.channelCount).map(plane)) }

  private func plane(_ index: Int) -> vImage.PixelBuffer<Format.PlanarPixelFormat> {
    vImage.PixelBuffer<Format.PlanarPixelFormat>(
      .init([storage.buffers[index]], ownsMemory: false, owners: [storage]))
  }
}
