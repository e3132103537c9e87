import Foundation
import Imaging

/// The quality of scaling. The quality has no effect, because the current transform alone decides how a context scales
/// an image: see ``CGContext/draw(_:in:byTiling:)``.
public enum CGInterpolationQuality: Int32, Sendable {
  /// The default of the context.
  case `default` = 0
  /// The nearest pixel.
  case none = 1
  /// Low quality, fast.
  case low = 2
  /// High quality, slow.
  case high = 3
  /// Medium quality.
  case medium = 4
}

/// A bitmap into which a caller draws images and paths.
///
/// Coordinates have their origin at the lower left. In memory, the top row comes first. Images, paths, strokes, clipping,
/// transforms and the stack of graphics states are supported. Paths are drawn with anti-aliasing through cairo. Text,
/// gradients, shadows and blend modes are not supported.
///
/// Use a context on one thread at a time.
public final class CGContext {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The bits per component, always 8.
  public let bitsPerComponent: Int
  /// The bits per pixel, 8 or 32.
  public let bitsPerPixel: Int
  /// The bytes per row, including padding.
  public let bytesPerRow: Int
  /// The colour space: grey or RGB.
  public let colorSpace: CGColorSpace?
  /// The pixel layout.
  public let bitmapInfo: CGBitmapInfo
  /// Has no effect. See ``CGInterpolationQuality``.
  public var interpolationQuality: CGInterpolationQuality = .default

  let memory: UnsafeMutableRawPointer
  let layout: PixelLayout
  private let ownsMemory: Bool
  var state: State = State()
  private var savedStates: [State] = []
  /// The path, in pixels with the origin at the lower left. Transforms affect only what is added later.
  var devicePath: CGMutablePath = CGMutablePath()

  /// The graphics state.
  struct State {
    var transform: CGAffineTransform = .identity
    var fillColor: CGColor = .black
    var strokeColor: CGColor = .black
    var alpha: CGFloat = 1
    var lineWidth: CGFloat = 1
    var lineCap: CGLineCap = .butt
    var lineJoin: CGLineJoin = .miter
    var miterLimit: CGFloat = 10
    var dashPhase: CGFloat = 0
    var dashLengths: [CGFloat] = []
    var isSmooth: Bool = true
    /// How much of each pixel may be drawn, 0…255. Nil if there is no limit.
    var clip: [UInt8]?
  }

  /// Makes a context over the caller's memory, or over new memory.
  ///
  /// - Parameters:
  ///   - data: The caller's memory, which must stay valid while the context exists: `height` rows of `bytesPerRow`
  ///     bytes. If nil, the context allocates memory and fills it with zeros.
  ///   - bytesPerRow: The bytes per row. If `data` is nil, 0 means the bytes of a row's pixels, rounded up to a
  ///     multiple of 64.
  /// - Returns: Nil if the layout is not supported, if `bytesPerRow` is too small for a row, or if the width or the
  ///   height is outside of 1…1,048,576. The supported layouts are 8-bit grey, and 32-bit RGB with alpha or an unused
  ///   byte.
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int,
    bytesPerRow: Int, space: CGColorSpace, bitmapInfo: UInt32
  ) {
    let info = CGBitmapInfo(rawValue: bitmapInfo)
    let bits: Int = space.model == .monochrome ? 8 : 32
    guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20,
      let layout = PixelLayout(
        bitsPerComponent: bitsPerComponent, bitsPerPixel: bits, space: space, bitmapInfo: info)
    else { return nil }
    let needed: Int = width * layout.bytesPerPixel
    let rowBytes: Int = bytesPerRow == 0 && data == nil ? (needed + 63) & ~63 : bytesPerRow
    guard rowBytes >= needed, rowBytes <= Int(Int32.max) else { return nil }
    guard let memory = data ?? calloc(height, rowBytes) else { return nil }
    self.width = width
    self.height = height
    self.bitsPerComponent = bitsPerComponent
    self.bitsPerPixel = bits
    self.bytesPerRow = rowBytes
    self.colorSpace = space
    self.bitmapInfo = info
    self.memory = memory
    self.layout = layout
    self.ownsMemory = data == nil
  }

  deinit {
    if ownsMemory { free(memory) }
  }

  /// The memory, with the top row first.
  public var data: UnsafeMutableRawPointer? { memory }

  /// The position and the meaning of alpha.
  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alphaInfo }

  /// Makes an image from a copy of the content.
  public func makeImage() -> CGImage? {
    guard let provider = CGDataProvider(data: Data(bytes: memory, count: bytesPerRow * height)),
      let colorSpace
    else { return nil }
    return CGImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent,
      bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow, space: colorSpace,
      bitmapInfo: bitmapInfo, provider: provider, decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)
  }

  // MARK: - State

  /// The current transform from user space to pixels. The origin of the pixels is the lower left corner.
  public var ctm: CGAffineTransform { state.transform }

  /// Pushes a copy of the graphics state onto the stack.
  public func saveGState() {
    savedStates.append(state)
  }

  /// Pops the last graphics state from the stack and makes this state the current state. Has no effect if the stack is
  /// empty.
  public func restoreGState() {
    if let saved = savedStates.popLast() { state = saved }
  }

  /// Translates the user space.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) {
    state.transform = state.transform.translatedBy(x: tx, y: ty)
  }

  /// Scales the user space. A negative factor mirrors the user space along that axis.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) {
    state.transform = state.transform.scaledBy(x: sx, y: sy)
  }

  /// Rotates the user space by an angle in radians, counter-clockwise.
  public func rotate(by angle: CGFloat) {
    state.transform = state.transform.rotated(by: angle)
  }

  /// Transforms the user space.
  public func concatenate(_ transform: CGAffineTransform) {
    state.transform = transform.concatenating(state.transform)
  }

  /// Sets the fill colour.
  public func setFillColor(_ color: CGColor) {
    state.fillColor = color
  }

  /// Sets the fill colour from components, each 0…1.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fillColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the fill colour to a grey. Both arguments are 0…1.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) {
    state.fillColor = CGColor(gray: gray, alpha: alpha)
  }
}
