import CKernels

/// Eight-bit rows of a picture that somebody else owns.
public struct PixelRows {
  /// Where the colours of a pixel lie.
  public enum Format: Sendable, Hashable, CaseIterable {
    case bgra
    case rgba
    case argb
    case rgb
    case gray

    fileprivate var layout: ck_pixel_format {
      switch self {
      case .bgra: return ck_pixel_format(bytes_per_pixel: 4, red: 2, green: 1, blue: 0, alpha: 3)
      case .rgba: return ck_pixel_format(bytes_per_pixel: 4, red: 0, green: 1, blue: 2, alpha: 3)
      case .argb: return ck_pixel_format(bytes_per_pixel: 4, red: 1, green: 2, blue: 3, alpha: 0)
      case .rgb: return ck_pixel_format(bytes_per_pixel: 3, red: 0, green: 1, blue: 2, alpha: -1)
      case .gray: return ck_pixel_format(bytes_per_pixel: 1, red: 0, green: 0, blue: 0, alpha: -1)
      }
    }
  }

  /// The first byte of the first row.
  public let base: UnsafeMutableRawPointer
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The distance of neighbouring rows in bytes.
  public let bytesPerRow: Int
  /// Where the colours lie.
  public let format: Format

  /// A view over memory that lives as long as it is used.
  public init(
    base: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int, format: Format
  ) {
    self.base = base
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.format = format
  }

  /// The picture without its first pixels: a view that starts further in.
  fileprivate func description(_ port: Graph.ImagePort, _ form: TensorDescriptor) -> ck_pixels {
    var result = ck_pixels()
    result.height = Int64(height)
    result.width = Int64(width)
    result.bytes_per_row = Int64(bytesPerRow)
    result.format = format.layout
    result.channels = Int32(port.channels)
    result.blue_first = port.order == .bgr ? 1 : 0
    result.planar = form.layout == .dense && !form.isOrderFree ? 1 : 0
    result.type = form.storage == .bfloat16 ? CK_BF16 : CK_F32
    result.scale = (port.scale[0], port.scale[port.channels / 2], port.scale[port.channels - 1])
    result.bias = (port.bias[0], port.bias[port.channels / 2], port.bias[port.channels - 1])
    return result
  }
}

extension Session {
  /// Puts a picture into an input: samples of 0…255 through the port's scale and bias.
  ///
  /// - Precondition: the input is a picture of the plan and of this size.
  public func load(_ pixels: PixelRows, into index: Int) throws {
    let port = plan.inputs[index]
    guard let image = port.image else {
      throw EngineError(.invalidInput, "Input '\(port.name)' is an array, a picture was given.")
    }
    try checkSize(pixels, port)
    var description = pixels.description(image, port.location.form)
    // Safe: the sizes agree, so rows and tensor are as large as the kernel will read and write.
    let status = ck_pixels_to_tensor(
      &description, pixels.base.assumingMemoryBound(to: UInt8.self), pointer(port.location))
    guard status == 0 else {
      throw EngineError(.backend, "Input '\(port.name)' could not be converted from pixels.")
    }
  }

  /// Writes an output into a picture: samples rounded and clamped to 0…255, alpha 255.
  ///
  /// - Precondition: the output is a picture of the plan and of this size.
  public func store(_ index: Int, into pixels: PixelRows) throws {
    let port = plan.outputs[index]
    guard let image = port.image else {
      throw EngineError(.invalidInput, "Output '\(port.name)' is an array, not a picture.")
    }
    try checkSize(pixels, port)
    var description = pixels.description(image, port.location.form)
    // Safe: as above.
    let status = ck_tensor_to_pixels(
      &description, pointer(port.location), pixels.base.assumingMemoryBound(to: UInt8.self))
    guard status == 0 else {
      throw EngineError(.backend, "Output '\(port.name)' could not be converted to pixels.")
    }
  }

  private func checkSize(_ pixels: PixelRows, _ port: Plan.Port) throws {
    let shape = port.location.form.shape
    guard let image = port.image, shape.count == image.channels * pixels.width * pixels.height,
      shape[-1] == pixels.width, shape[-2] == pixels.height
    else {
      throw EngineError(
        .invalidInput,
        "'\(port.name)' is \(shape) here, the picture is \(pixels.width) × \(pixels.height) pixels."
      )
    }
  }
}
