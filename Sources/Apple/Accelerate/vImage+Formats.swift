/// How the pixels of a `vImage.PixelBuffer` lie in memory.
public protocol PixelFormat {
  /// The number of planes.
  static var planeCount: Int { get }
}

/// A format whose component type and number of channels are known.
public protocol StaticPixelFormat: PixelFormat {
  /// The type of a component: `UInt8` or `Float`.
  associatedtype ComponentType
  /// The number of channels.
  static var channelCount: Int { get }
}

/// A format with one plane, planar or interleaved.
public protocol SinglePlanePixelFormat: StaticPixelFormat {}

/// A format with a plane for each channel.
public protocol MultiplePlanePixelFormat: StaticPixelFormat {
  /// The format of a plane.
  associatedtype PlanarPixelFormat: SinglePlanePixelFormat
}

extension StaticPixelFormat {
  /// The bits of a component.
  public static var bitCountPerComponent: Int { MemoryLayout<ComponentType>.stride * 8 }
  /// The bits of a pixel, of all planes together.
  public static var bitCountPerPixel: Int { bitCountPerComponent * channelCount }
  /// The channels in a plane.
  static var channelsPerPlane: Int { channelCount / planeCount }
}

extension SinglePlanePixelFormat {
  /// One.
  public static var planeCount: Int { 1 }
}

extension MultiplePlanePixelFormat {
  /// The number of channels.
  public static var planeCount: Int { channelCount }
}

extension vImage {
  /// One channel of 8 bits.
  public enum Planar8: SinglePlanePixelFormat {
    public typealias ComponentType = UInt8
    public static let channelCount = 1
  }
  /// One channel of float32.
  public enum PlanarF: SinglePlanePixelFormat {
    public typealias ComponentType = Float
    public static let channelCount = 1
  }
  /// Three planes of 8 bits.
  public enum Planar8x3: MultiplePlanePixelFormat {
    public typealias ComponentType = UInt8
    public typealias PlanarPixelFormat = Planar8
    public static let channelCount = 3
  }
  /// Four planes of 8 bits.
  public enum Planar8x4: MultiplePlanePixelFormat {
    public typealias ComponentType = UInt8
    public typealias PlanarPixelFormat = Planar8
    public static let channelCount = 4
  }
  /// Three planes of float32.
  public enum PlanarFx3: MultiplePlanePixelFormat {
    public typealias ComponentType = Float
    public typealias PlanarPixelFormat = PlanarF
    public static let channelCount = 3
  }
  /// Four planes of float32.
  public enum PlanarFx4: MultiplePlanePixelFormat {
    public typealias ComponentType = Float
    public typealias PlanarPixelFormat = PlanarF
    public static let channelCount = 4
  }
  /// Three interleaved channels of 8 bits.
  public enum Interleaved8x3: SinglePlanePixelFormat {
    public typealias ComponentType = UInt8
    public static let channelCount = 3
  }
  /// Four interleaved channels of 8 bits.
  public enum Interleaved8x4: SinglePlanePixelFormat {
    public typealias ComponentType = UInt8
    public static let channelCount = 4
  }
  /// Three interleaved channels of float32.
  public enum InterleavedFx3: SinglePlanePixelFormat {
    public typealias ComponentType = Float
    public static let channelCount = 3
  }
  /// Four interleaved channels of float32.
  public enum InterleavedFx4: SinglePlanePixelFormat {
    public typealias ComponentType = Float
    public static let channelCount = 4
  }

  /// Where the alpha is in a pixel of four channels, and the order of the others.
  public enum ChannelOrdering: Sendable {
    /// Alpha, red, green, blue.
    case ARGB
    /// Red, green, blue, alpha.
    case RGBA
    /// Blue, green, red, alpha.
    case BGRA
  }

  /// The size of a buffer in pixels.
  public struct Size: Hashable, Sendable {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The size of an image.
    public init(cgImage: CGImage) { self.init(width: cgImage.width, height: cgImage.height) }

    /// Makes a size. Returns nil if a side is no integer.
    public init?(exactly size: CGSize) {
      guard let width = Int(exactly: Double(size.width)),
        let height = Int(exactly: Double(size.height))
      else { return nil }
      self.init(width: width, height: height)
    }
  }
}
