import Foundation

/// The namespace of vImage's Swift types.
public enum vImage {
  /// The errors of vImage's functions.
  public enum Error: Int, Swift.Error {
    case roiLargerThanInputBuffer = -21766
    case invalidKernelSize = -21767
    case invalidEdgeStyle = -21768
    case invalidOffsetX = -21769
    case invalidOffsetY = -21770
    case memoryAllocationError = -21771
    case nullPointerArgument = -21772
    case invalidParameter = -21773
    case bufferSizeMismatch = -21774
    case unknownFlagsBit = -21775
    case internalError = -21776
    case invalidRowBytes = -21777
    case invalidImageFormat = -21778
  }

  /// Flags for vImage's functions.
  public struct Options: OptionSet, Sendable {
    public let rawValue: vImage_Flags

    public init(rawValue: vImage_Flags) { self.rawValue = rawValue }

    public static let noFlags = Options([])
    public static let leaveAlphaUnchanged = Options(
      rawValue: vImage_Flags(kvImageLeaveAlphaUnchanged))
    public static let copyInPlace = Options(rawValue: vImage_Flags(kvImageCopyInPlace))
    public static let backgroundColorFill = Options(
      rawValue: vImage_Flags(kvImageBackgroundColorFill))
    public static let imageExtend = Options(rawValue: vImage_Flags(kvImageEdgeExtend))
    public static let doNotTile = Options(rawValue: vImage_Flags(kvImageDoNotTile))
    public static let highQualityResampling = Options(
      rawValue: vImage_Flags(kvImageHighQualityResampling))
    public static let truncateKernel = Options(rawValue: vImage_Flags(kvImageTruncateKernel))
    public static let getTempBufferSize = Options(
      rawValue: vImage_Flags(kvImageGetTempBufferSize))
    public static let printDiagnosticsToConsole = Options(
      rawValue: vImage_Flags(kvImagePrintDiagnosticsToConsole))
    public static let noAllocate = Options(rawValue: vImage_Flags(kvImageNoAllocate))
  }
}

extension vImage_Buffer {
  /// Allocates a picture. Each row begins at a multiple of 64 bytes. The caller frees it with `free()`.
  ///
  /// - Throws: `vImage.Error.invalidParameter` if a size is not positive, and `.memoryAllocationError` if there is no
  ///   memory.
  public init(width: Int, height: Int, bitsPerPixel: UInt32) throws {
    let (bits, tooWide) = width.multipliedReportingOverflow(by: Int(bitsPerPixel))
    guard width > 0, height > 0, bitsPerPixel > 0, !tooWide, bits < Int.max - 1024 else {
      throw vImage.Error.invalidParameter
    }
    let rowBytes = ((bits + 7) / 8 + 63) / 64 * 64
    let (bytes, tooHigh) = rowBytes.multipliedReportingOverflow(by: height)
    // Safe: the memory belongs to the caller from here on.
    guard !tooHigh, let data = aligned_alloc(64, bytes) else {
      throw vImage.Error.memoryAllocationError
    }
    self.init(
      data: data, height: vImagePixelCount(height), width: vImagePixelCount(width),
      rowBytes: rowBytes)
  }

  /// The width and the height in pixels.
  public var size: CGSize { CGSize(width: CGFloat(width), height: CGFloat(height)) }

  /// Frees the memory of a picture that `init(width:height:bitsPerPixel:)` allocated.
  public func free() { Foundation.free(data) }

  /// Copies the picture into another one of the same size.
  ///
  /// - Throws: `vImage.Error.bufferSizeMismatch` if the sizes differ.
  public func copy(
    destinationBuffer: inout vImage_Buffer, pixelSize: Int, options: vImage.Options = .noFlags
  ) throws {
    guard width == destinationBuffer.width, height == destinationBuffer.height else {
      throw vImage.Error.bufferSizeMismatch
    }
    guard let source = data, let destination = destinationBuffer.data else {
      throw vImage.Error.nullPointerArgument
    }
    for row in 0..<Int(height) {
      memmove(
        destination + row * destinationBuffer.rowBytes, source + row * rowBytes,
        Int(width) * pixelSize)
    }
  }
}
