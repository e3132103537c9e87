/// 8 bits each of alpha, red, green, blue, in this order in memory.
public let kCVPixelFormatType_32ARGB: OSType = 0x0000_0020

/// 8 bits each of blue, green, red, alpha, in this order in memory.
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241

/// 8 bits each of alpha, blue, green, red, in this order in memory.
public let kCVPixelFormatType_32ABGR: OSType = 0x4142_4752

/// 8 bits each of red, green, blue, alpha, in this order in memory.
public let kCVPixelFormatType_32RGBA: OSType = 0x5247_4241

/// 8 bits each of red, green, blue, in this order in memory.
public let kCVPixelFormatType_24RGB: OSType = 0x0000_0018

/// 8 bits each of blue, green, red, in this order in memory.
public let kCVPixelFormatType_24BGR: OSType = 0x3234_4247

/// One component of 8 bits.
public let kCVPixelFormatType_OneComponent8: OSType = 0x4C30_3038

/// One component of 16 bits, little-endian.
public let kCVPixelFormatType_OneComponent16: OSType = 0x4C30_3136

/// One component, float16.
public let kCVPixelFormatType_OneComponent16Half: OSType = 0x4C30_3068

/// One component, float32.
public let kCVPixelFormatType_OneComponent32Float: OSType = 0x4C30_3066

/// Two components of 8 bits.
public let kCVPixelFormatType_TwoComponent8: OSType = 0x3243_3038

/// Two components, float16.
public let kCVPixelFormatType_TwoComponent16Half: OSType = 0x3243_3068

/// Two components, float32.
public let kCVPixelFormatType_TwoComponent32Float: OSType = 0x3243_3066

/// Red, green, blue and alpha, float16.
public let kCVPixelFormatType_64RGBAHalf: OSType = 0x5247_6841

/// Red, green, blue and alpha, float32.
public let kCVPixelFormatType_128RGBAFloat: OSType = 0x5247_6641

/// Luma, and a plane of both chroma values for each 2 × 2 pixels, 8 bits each, video range (luma 16…235): NV12.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076

/// Luma, and a plane of both chroma values for each 2 × 2 pixels, 8 bits each, full range (luma 0…255).
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066

/// Luma, and a plane for each chroma value for each 2 × 2 pixels, 8 bits each, video range.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x7934_3230

/// Luma, and a plane for each chroma value for each 2 × 2 pixels, 8 bits each, full range.
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x6634_3230

/// Returns the bytes per pixel, or nil for a planar or an unsupported format.
func bytesPerPixel(of pixelFormat: OSType) -> Int? {
  switch pixelFormat {
  case kCVPixelFormatType_OneComponent8:
    return 1
  case kCVPixelFormatType_OneComponent16, kCVPixelFormatType_OneComponent16Half,
    kCVPixelFormatType_TwoComponent8:
    return 2
  case kCVPixelFormatType_24RGB, kCVPixelFormatType_24BGR:
    return 3
  case kCVPixelFormatType_32ARGB, kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ABGR,
    kCVPixelFormatType_32RGBA, kCVPixelFormatType_OneComponent32Float,
    kCVPixelFormatType_TwoComponent16Half:
    return 4
  case kCVPixelFormatType_64RGBAHalf, kCVPixelFormatType_TwoComponent32Float:
    return 8
  case kCVPixelFormatType_128RGBAFloat:
    return 16
  default:
    return nil
  }
}

/// Returns the format as text, for example `BGRA`. Returns a hexadecimal number if the format's bytes are not four
/// printable characters.
public func fourCharacterName(of pixelFormat: OSType) -> String {
  switch pixelFormat {
  case kCVPixelFormatType_32ARGB: return "32ARGB"
  case kCVPixelFormatType_24RGB: return "24RGB"
  default: break
  }
  let bytes: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: pixelFormat >> $0) }
  guard bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
    return "0x" + String(pixelFormat, radix: 16)
  }
  return String(decoding: bytes, as: UTF8.self)
}
