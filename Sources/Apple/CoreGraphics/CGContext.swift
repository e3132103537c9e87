import Foundation
import Imaging

/// How carefully drawing scales pictures. Accepted and ignored: scaling is always Lanczos.
public enum CGInterpolationQuality: Int32, Sendable {
  /// The context's own choice.
  case `default` = 0
  /// Nearest pixel.
  case none = 1
  /// Fast.
  case low = 2
  /// Careful.
  case high = 3
  /// Between low and high.
  case medium = 4
}

/// Draws pictures and filled rectangles into memory.
///
/// Coordinates have their origin at the lower left; memory holds the top row first. There are
/// pictures, rectangles, maps of the plane and the stack of states. Paths, strokes, text, gradients,
/// shadows, clipping and blend modes are not here.
///
/// A context is used by one thread at a time.
public final class CGContext {
  /// Columns of pixels.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// Bits of one component: always 8.
  public let bitsPerComponent: Int
  /// Bits of one pixel: 8 or 32.
  public let bitsPerPixel: Int
  /// Bytes from the start of one row to the start of the next.
  public let bytesPerRow: Int
  /// Grey or RGB.
  public let colorSpace: CGColorSpace?
  /// The layout of the pixels.
  public let bitmapInfo: CGBitmapInfo
  /// Accepted and ignored: scaling is always Lanczos.
  public var interpolationQuality: CGInterpolationQuality = .default

  let memory: UnsafeMutableRawPointer
  let layout: PixelLayout
  private let ownsMemory: Bool
  var state: State = State()
  private var savedStates: [State] = []

  /// What `saveGState` saves.
  struct State {
    var map: CGAffineTransform = .identity
    var fillColor: CGColor = .black
  }

  /// A context over memory of the caller, or its own.
  ///
  /// - Parameters:
  ///   - data: `height` rows of `bytesPerRow` bytes that stay as long as the context; `nil` to have it
  ///     allocate its own, all zero.
  ///   - bytesPerRow: 0 for as many as the width needs, where `data` is `nil`.
  /// - Returns: `nil` where the layout is not one of 8-bit grey or 32-bit RGB with alpha or a skipped
  ///   byte, or rows are too short, or a size is not positive.
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

  /// The memory: the top row first.
  public var data: UnsafeMutableRawPointer? { memory }

  /// Where alpha lies and what it means.
  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alphaInfo }

  /// A copy of what has been drawn.
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

  /// The map from the coordinates of drawing to pixels, whose origin is the lower left corner.
  public var ctm: CGAffineTransform { state.map }

  /// Keeps the state to come back to.
  public func saveGState() {
    savedStates.append(state)
  }

  /// Comes back to the state kept last. Nothing happens where none is.
  public func restoreGState() {
    if let saved = savedStates.popLast() { state = saved }
  }

  /// Moves the origin of what is drawn next.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) {
    state.map = state.map.translatedBy(x: tx, y: ty)
  }

  /// Scales what is drawn next; a negative factor mirrors it.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) {
    state.map = state.map.scaledBy(x: sx, y: sy)
  }

  /// Turns what is drawn next, by an angle in radians, counter-clockwise.
  public func rotate(by angle: CGFloat) {
    state.map = state.map.rotated(by: angle)
  }

  /// Maps what is drawn next.
  public func concatenate(_ transform: CGAffineTransform) {
    state.map = transform.concatenating(state.map)
  }

  /// Sets the colour of the rectangles drawn next.
  public func setFillColor(_ color: CGColor) {
    state.fillColor = color
  }

  /// Sets the colour of the rectangles drawn next, components 0…1.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fillColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets a grey for the rectangles drawn next, 0…1.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) {
    state.fillColor = CGColor(gray: gray, alpha: alpha)
  }
}
