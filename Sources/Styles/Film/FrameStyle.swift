import CFilm
import FFmpeg
import Imaging
import NormStatistics
import StyleTransfer

/// How the frames of a film are painted.
public struct FrameStyle: Sendable {
  /// The part of each frame that is painted.
  public enum Mask: Sendable {
    /// The complete frame.
    case none
    /// A picture that is white where frames are painted.
    case picture(Picture)
    /// A film that is white where the frame at the same time is painted.
    case film(FilmDescription)
    /// The part of each frame that a closure finds, such as its persons, stays unchanged.
    case subject(@Sendable (Picture) throws -> SubjectMask)
  }

  /// Paints one frame.
  let painter: SendablePainter
  /// The colours that paintings get. Nil for the network's own.
  public var palette: Palette?
  /// The share of the painting in the result: from 0 (only the film) to 1 (only the painting).
  public var strength: Double = 1
  /// Whether paintings have the colours of the film.
  public var keepsColors = false
  /// The part of each frame that is painted.
  public var mask: Mask = .none

  /// Creates a style with a painter, which must accept frames of all sizes.
  public init(_ painter: Painter) { self.painter = SendablePainter(painter: painter) }

  /// Returns the weight of each pixel's painting, 0…1, if the mask differs from frame to frame.
  ///
  /// - Parameter maskFrame: The frame of the mask's film.
  func weights(of frame: Picture, maskFrame: Picture?) throws -> [Float]? {
    if let maskFrame { return StyleMask(maskFrame).weights }
    guard case .subject(let find) = mask else { return nil }
    return try find(frame).weights(for: frame.size).map { 1 - $0 }
  }
}

/// A painter that moves to another thread.
///
/// `@unchecked Sendable`: predictions of one model may run on any thread, and only one thread paints at a time.
struct SendablePainter: @unchecked Sendable {
  let painter: Painter
}

/// The network's own painting of a frame, or of the parts of it that are needed.
enum OwnPainting: Sendable {
  case whole(Picture)
  /// The needed cells, and the paintings of parts, in the size of the parts' columns and rows.
  case parts(NeededCells, [(FramePart, Picture)])
}

/// Makes the frames of the result from the network's paintings: applies colours, strength, mask and blending.
struct FrameFinisher {
  private let strength: Double
  private let keepsColors: Bool
  private let stability: Double
  private var colors: ShotPalette?
  private var spare: [UInt16] = []
  /// The key painting, as coefficients of splines. Empty before the first one.
  private var key: [UInt16] = []
  private let mask: [Float]?

  /// How far a new key painting is moved towards the colours of the network's own one. Without that, a shot would drift.
  private static let tint: Float = 0.05
  /// The share that each neighbour of a pixel gets of it along an axis at a stability of 1. At 0.85, that is about as wide
  /// as a Gaussian of 0.6 pixels.
  private static let softness = 0.23

  init(_ style: FrameStyle, stability: Double, size: PictureSize, state: PaintingState) {
    var mask: [Float]?
    if case .picture(let picture) = style.mask {
      mask =
        StyleMask(picture.withoutAlpha).scaled(toWidth: size.width, height: size.height).weights
    }
    self.init(
      palette: style.palette, strength: style.strength, keepsColors: style.keepsColors, mask: mask,
      stability: stability, state: state)
  }

  /// - Parameter mask: The weight of each pixel's painting, 0…1. Nil for 1.
  init(
    palette: Palette?, strength: Double, keepsColors: Bool, mask: [Float]?, stability: Double,
    state: PaintingState
  ) {
    self.strength = strength
    self.keepsColors = keepsColors
    self.mask = mask
    self.stability = stability
    colors = palette.map { ShotPalette($0) }
    colors?.state = state.colors
  }

  /// Finishes one frame.
  ///
  /// - Parameters:
  ///   - painting: The network's painting of the frame.
  ///   - motion: The motion to the last frame. Nil for the first frame of a shot.
  ///   - frameMask: The weight of each pixel's painting in this frame, 0…1. Nil for the same weights in all frames.
  ///   - state: The state after the last frame. The function changes it to the state after this frame, except the
  ///     norms.
  mutating func finish(
    _ painting: OwnPainting, of frame: FilmFrame, motion: ShotMotion?, frameMask: [Float]?,
    state: inout PaintingState
  ) throws -> Picture {
    let photo: Picture = frame.picture
    var result: Picture
    var cells: NeededCells?
    switch painting {
    case .whole(let whole):
      if motion == nil, state.shotFrames == 1 { colors?.beginShot() }
      colors?.see(whole)
      result = try softened(colored(whole, of: photo))
    case .parts(let needed, let paintings):
      cells = needed
      result = try joined(paintings, photo)
    }
    if stability > 0 { result = try blended(result, cells, motion, &state) }
    let weights: [Float]? = frameMask ?? mask
    if strength < 1 || weights != nil {
      let strength = Float(self.strength)
      result = try combined(result, photo) { painted, own, target, count in
        if let weights {
          cf_mix(painted, own, weights, strength, count, target)
        } else {
          cf_mix(painted, own, nil, strength, count, target)
        }
      }
    }
    state.colors = colors?.state ?? []
    state.lastFrame = photo
    return result
  }

  /// Returns the paintings of parts in their places. The rest is black.
  private func joined(_ paintings: [(FramePart, Picture)], _ photo: Picture) throws -> Picture {
    try Picture(width: photo.width, height: photo.height) { target in
      for (part, painting) in paintings {
        let finished: Picture = try softened(
          colored(
            painting,
            of: photo.cropped(
              x: part.columns.lowerBound, y: part.rows.lowerBound, width: part.columns.count,
              height: part.rows.count)))
        finished.withPixels { pixels in
          let length: Int = part.columns.count * 3
          for (row, y) in part.rows.enumerated() {
            let first: Int = (y * photo.width + part.columns.lowerBound) * 3
            _ = UnsafeMutableBufferPointer(rebasing: target[first..<first + length])
              .update(fromContentsOf: pixels[row * length..<(row + 1) * length])
          }
        }
      }
    }
  }

  /// Returns a painting in the colours of the style, or of the film.
  private func colored(_ painting: Picture, of photo: Picture) throws -> Picture {
    let styled: Picture = try styled(painting)
    guard keepsColors else { return styled }
    return try combined(styled, photo) { painted, own, target, count in
      cf_keep_colors(painted, own, count, target)
    }
  }

  /// Returns a painting without the detail that is finer than its brush strokes, the finer the higher the stability. Such
  /// detail cannot be carried from frame to frame or encoded without changing, so it would be seen to flicker.
  private func softened(_ painting: Picture) throws -> Picture {
    guard stability > 0 else { return painting }
    var isDone = true
    let result = try Picture(width: painting.width, height: painting.height) { target in
      painting.withPixels { pixels in
        guard let from = pixels.baseAddress, let to = target.baseAddress else { return }
        isDone = cf_soften(
          from, Int64(painting.width), Int64(painting.height), Float(Self.softness * stability), to)
      }
    }
    guard isDone else { throw Self.memoryError(painting) }
    return result
  }

  private func styled(_ painting: Picture) throws -> Picture {
    guard let table = colors?.table else { return painting.withoutAlpha }
    let count = Int64(painting.width * painting.height)
    return try Picture(width: painting.width, height: painting.height) { target in
      painting.withPixels { pixels in
        table.withUnsafeBufferPointer { table in
          if let table = table.baseAddress, let from = pixels.baseAddress,
            let to = target.baseAddress
          {
            cf_apply_colors(table, Int64(ShotPalette.side), from, count, to)
          }
        }
      }
    }
  }

  /// The weight of a key painting where it is trusted.
  static func keyWeight(stability: Double) -> Double { 1 - (1 - stability) * (1 - stability) }

  /// The weights of earlier paintings. That of the last one is below 1, so that a painting which is not carried on from a
  /// key moves towards the network's own one.
  private var weights: cf_weights {
    let key: Double = Self.keyWeight(stability: stability)
    return cf_weights(last: Float(0.95 * key), key: Float(key), doubtful: Float(0.95 * stability))
  }

  /// Calls the closure with the cells that a painting holds. Null for all.
  private func withPainted<Result>(
    _ cells: NeededCells?, _ body: (UnsafePointer<cf_painted>?) -> Result
  ) -> Result {
    guard let cells else { return body(nil) }
    return cells.cells.withUnsafeBufferPointer { buffer in
      var painted = cf_painted(cells: buffer.baseAddress, side: Int64(cells.side))
      return body(&painted)
    }
  }

  /// - Parameter cells: The cells that the painting holds. Nil for the complete frame.
  private mutating func blended(
    _ painting: Picture, _ cells: NeededCells?, _ motion: ShotMotion?, _ state: inout PaintingState
  ) throws -> Picture {
    let (width, height) = (painting.width, painting.height)
    let area: Int = width * height
    if spare.count != area * 4 { spare = [UInt16](repeating: 0, count: area * 4) }
    guard let motion, state.blended.count == area * 4 else {
      if state.blended.count != area * 4 { state.blended = [UInt16](repeating: 0, count: area * 4) }
      painting.withPixels { pixels in
        if let from = pixels.baseAddress { cf_widen(from, Int64(area), &state.blended) }
      }
      return painting
    }
    if motion.beginsKey || key.count != area * 4 {
      if key.count != area * 4 { key = [UInt16](repeating: 0, count: area * 4) }
      guard cf_make_key(state.blended, Int64(width), Int64(height), &key) else {
        throw Self.memoryError(painting)
      }
    }
    var weights: cf_weights = self.weights
    // In all frames that are painted in parts, because a weight that differs from part to part would be seen.
    if cells != nil { weights.key = 1 }
    var isDone = true
    let result = try Picture(width: width, height: height) { target in
      painting.withPixels { pixels in
        motion.step.withMotion { step in
          motion.key.withMotion { toKey in
            guard let from = pixels.baseAddress, let to = target.baseAddress else { return }
            isDone = withPainted(cells) {
              cf_blend(
                from, $0, state.blended, step, key, toKey, &weights, Int64(width), Int64(height),
                &spare, to)
            }
            guard isDone, motion.endsKey else { return }
            // What moves is interpolated, which weakens the finest detail from key to key. To restore all of it would
            // make the painting change from key to key: the very finest detail cannot be restored, only what is near it.
            let detail = Float(0.7 + 0.3 * max(0, 1 - motion.distance))
            isDone = cf_renew(
              from, spare, Float(min(1, (1 - stability) * 0.25)), Self.tint, detail, Int64(width),
              Int64(height), &state.blended, to)
          }
        }
      }
    }
    guard isDone else { throw Self.memoryError(painting) }
    if !motion.endsKey { swap(&state.blended, &spare) }
    return result
  }

  static func memoryError(_ painting: Picture) -> FilmError {
    FilmError(
      .memory,
      "There is not enough memory to blend or compare paintings of \(painting.width) × \(painting.height)."
    )
  }

  private func combined(
    _ painting: Picture, _ photo: Picture,
    _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int64) -> Void
  ) throws -> Picture {
    let count = Int64(painting.width * painting.height)
    return try Picture(width: painting.width, height: painting.height) { target in
      painting.withPixels { painted in
        photo.withPixels { own in
          if let painted = painted.baseAddress, let own = own.baseAddress,
            let target = target.baseAddress
          {
            body(painted, own, target, count)
          }
        }
      }
    }
  }
}
