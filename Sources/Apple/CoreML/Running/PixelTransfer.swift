import CKernels
import CoreVideo
import Engine
import Foundation
import Imaging

/// Copies images between pixel buffers and a network's tensors.
enum PixelTransfer {
  /// Writes the pixels of a buffer into a tensor `[…, C, H, W]` with the buffer's height and width.
  ///
  /// - Parameter name: The name of the feature in error messages.
  static func read(
    _ buffer: CVPixelBuffer, through port: Graph.ImagePort, into memory: UnsafeMutableRawPointer,
    as form: TensorDescriptor, name: String
  ) throws {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    guard !CVPixelBufferIsPlanar(buffer) else {
      try readConverted(buffer, through: port, into: memory, as: form, name: name)
      return
    }
    guard let rows = CVPixelBufferGetBaseAddress(buffer),
      let type = form.storage.kernelType
    else { throw unreadable(buffer, name) }
    guard
      let format = ck_pixel_format(CVPixelBufferGetPixelFormatType(buffer))
    else {
      try readHalf(buffer, rows, through: port, into: memory, as: form, name: name)
      return
    }
    var description = describe(port, form, type)
    description.bytes_per_row = Int64(CVPixelBufferGetBytesPerRow(buffer))
    description.format = format
    // Safe: tensor and buffer have the same height and width, and the port has as many channels as the tensor.
    let status: Int32 = ck_pixels_to_tensor(
      &description, rows.assumingMemoryBound(to: UInt8.self), memory)
    guard status == 0 else { throw unreadable(buffer, name) }
  }

  /// Writes a tensor `[…, C, H, W]` into a pixel buffer with the tensor's height and width. For an 8-bit format, rounds
  /// the values, clamps them to 0…255, and sets alpha to 255. A grey float16 buffer gets the values as float16.
  static func write(
    _ memory: UnsafeRawPointer, as form: TensorDescriptor, through port: Graph.ImagePort,
    into buffer: CVPixelBuffer, name: String
  ) throws {
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    guard let rows = CVPixelBufferGetBaseAddress(buffer), let type = form.storage.kernelType else {
      throw unreadable(buffer, name)
    }
    let format: OSType = CVPixelBufferGetPixelFormatType(buffer)
    if format == kCVPixelFormatType_OneComponent16Half {
      writeHalf(memory, as: form, into: rows, CVPixelBufferGetBytesPerRow(buffer))
      return
    }
    guard let pixels = ck_pixel_format(format) else { throw unreadable(buffer, name) }
    var description = describe(port, form, type)
    description.bytes_per_row = Int64(CVPixelBufferGetBytesPerRow(buffer))
    description.format = pixels
    // Safe: the buffer has the tensor's height and width. The caller made the buffer for the tensor or checked its
    // size.
    let status: Int32 = ck_tensor_to_pixels(
      &description, memory, rows.assumingMemoryBound(to: UInt8.self))
    guard status == 0 else { throw unreadable(buffer, name) }
  }

  private static func describe(
    _ port: Graph.ImagePort, _ form: TensorDescriptor, _ type: ck_type
  ) -> ck_pixels {
    var description = ck_pixels()
    description.height = Int64(form.shape[-2])
    description.width = Int64(form.shape[-1])
    description.channels = Int64(port.channels)
    description.blue_first = port.order == .bgr ? 1 : 0
    description.planar = form.layout == .channelsLast ? 0 : 1
    description.type = type
    description.scale = (port.scale[0], port.scale[0], port.scale[0])
    description.bias = (port.bias[0], port.bias[0], port.bias[0])
    if port.channels == 3 {
      description.scale = (port.scale[0], port.scale[1], port.scale[2])
      description.bias = (port.bias[0], port.bias[1], port.bias[2])
    }
    return description
  }

  /// Reads a buffer whose pixel format the kernel does not support. If the buffer is grey float16 and the tensor has
  /// one channel, copies the pixels directly. Otherwise, converts the buffer to 32BGRA first.
  private static func readHalf(
    _ buffer: CVPixelBuffer, _ rows: UnsafeMutableRawPointer, through port: Graph.ImagePort,
    into memory: UnsafeMutableRawPointer, as form: TensorDescriptor, name: String
  ) throws {
    let format: OSType = CVPixelBufferGetPixelFormatType(buffer)
    guard port.order == .gray, format == kCVPixelFormatType_OneComponent16Half else {
      try readConverted(buffer, through: port, into: memory, as: form, name: name)
      return
    }
    let (height, width): (Int, Int) = (form.shape[-2], form.shape[-1])
    let bytesPerRow: Int = CVPixelBufferGetBytesPerRow(buffer)
    for y in 0..<height {
      let row = (rows + y * bytesPerRow).assumingMemoryBound(to: Float16.self)
      for x in 0..<width {
        let value: Float = Float(row[x]) * port.scale[0] + port.bias[0]
        form.storage.store(value, at: y * width + x, in: memory)
      }
    }
  }

  /// Converts a buffer to 32BGRA, and reads that.
  private static func readConverted(
    _ buffer: CVPixelBuffer, through port: Graph.ImagePort, into memory: UnsafeMutableRawPointer,
    as form: TensorDescriptor, name: String
  ) throws {
    guard let picture = try? Picture(buffer) else { throw unreadable(buffer, name) }
    try read(
      try picture.pixelBuffer(format: kCVPixelFormatType_32BGRA), through: port, into: memory,
      as: form, name: name)
  }

  private static func writeHalf(
    _ memory: UnsafeRawPointer, as form: TensorDescriptor, into rows: UnsafeMutableRawPointer,
    _ bytesPerRow: Int
  ) {
    let (height, width): (Int, Int) = (form.shape[-2], form.shape[-1])
    for y in 0..<height {
      let row = (rows + y * bytesPerRow).assumingMemoryBound(to: Float16.self)
      for x in 0..<width { row[x] = Float16(form.storage.load(at: y * width + x, from: memory)) }
    }
  }

  private static func unreadable(_ buffer: CVPixelBuffer, _ name: String) -> MLModelError {
    let format: OSType = CVPixelBufferGetPixelFormatType(buffer)
    return MLModelError(
      .featureType,
      "The image for the feature \"\(name)\" has the pixel format '\(fourCharacterName(of: format))'"
        + ", which models cannot read or write; use 32BGRA, or OneComponent8 for grey.")
  }
}

extension ck_pixel_format {
  /// Makes the kernels' description of a pixel format. Returns nil if the format does not have 8 bits per component.
  init?(_ format: OSType) {
    self.init()
    switch format {
    case kCVPixelFormatType_32BGRA: set(4, red: 2, green: 1, blue: 0, alpha: 3)
    case kCVPixelFormatType_32ARGB: set(4, red: 1, green: 2, blue: 3, alpha: 0)
    case kCVPixelFormatType_32RGBA: set(4, red: 0, green: 1, blue: 2, alpha: 3)
    case kCVPixelFormatType_32ABGR: set(4, red: 3, green: 2, blue: 1, alpha: 0)
    case kCVPixelFormatType_24RGB: set(3, red: 0, green: 1, blue: 2, alpha: -1)
    case kCVPixelFormatType_24BGR: set(3, red: 2, green: 1, blue: 0, alpha: -1)
    case kCVPixelFormatType_OneComponent8: set(1, red: 0, green: 0, blue: 0, alpha: -1)
    default: return nil
    }
  }

  private mutating func set(
    _ bytes: Int32, red: Int32, green: Int32, blue: Int32, alpha: Int32
  ) {
    bytes_per_pixel = bytes
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }
}

extension ElementType {
  /// The kernels' constant for the element type; nil if the kernels do not support the type.
  fileprivate var kernelType: ck_type? {
    switch self {
    case .float32: CK_F32
    case .bfloat16: CK_BF16
    case .float16: CK_F16
    default: nil
    }
  }

  // Safe: callers pass an index that is less than the number of elements in the memory.

  fileprivate func store(_ value: Float, at index: Int, in memory: UnsafeMutableRawPointer) {
    switch self {
    case .bfloat16: memory.assumingMemoryBound(to: UInt16.self)[index] = BFloat16.bits(of: value)
    case .float16: memory.assumingMemoryBound(to: Float16.self)[index] = Float16(value)
    default: memory.assumingMemoryBound(to: Float.self)[index] = value
    }
  }

  fileprivate func load(at index: Int, from memory: UnsafeRawPointer) -> Float {
    switch self {
    case .bfloat16: BFloat16.value(of: memory.assumingMemoryBound(to: UInt16.self)[index])
    case .float16: Float(memory.assumingMemoryBound(to: Float16.self)[index])
    default: memory.assumingMemoryBound(to: Float.self)[index]
    }
  }
}
