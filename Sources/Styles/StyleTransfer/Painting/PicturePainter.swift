import Engine
import Imaging
import Platform

/// Paints a photo in the style of paintings by bringing the picture itself closer, step by step and
/// from coarse to fine.
///
/// **Source:** Gatys, Ecker and Bethge, “A Neural Algorithm of Artistic Style”, arXiv:1508.06576;
/// coarse to fine after Gatys et al., arXiv:1611.07865, section 6.
public struct PicturePainter {
  /// What is painted.
  public let photo: Picture
  /// How it is to look.
  public let styles: [PaintingStyle]
  /// How it is painted.
  public let settings: PaintingSettings
  private let network: FeatureNetwork
  /// The objective of the first scale, where the estimate has made it and nobody has painted yet.
  private let estimated: Locked<PaintingObjective?> = Locked(nil)

  /// A picture of the work so far, made when it is asked for.
  public typealias Snapshot = () throws -> Picture

  /// A job; nothing is computed yet. Throws where weights, masks or settings do not fit.
  public init(
    _ photo: Picture, styles: [PaintingStyle], settings: PaintingSettings, network: FeatureNetwork
  ) throws {
    let hasStyle: Bool = styles.contains { $0.weight > 0 }
    let needsStyle: Bool = settings.loss.styleWeight != 0 || settings.start == .style
    guard hasStyle || !needsStyle, styles.allSatisfy({ $0.weight >= 0 && $0.weight.isFinite })
    else {
      throw StyleTransferError(
        .input, "A picture is painted in at least one style whose weight is above 0.")
    }
    guard settings.iterations > 0, settings.size ?? 16 >= 16, min(photo.width, photo.height) >= 16
    else {
      throw StyleTransferError(
        .input, "A picture is painted at 16 pixels or more, in at least one step.")
    }
    self.photo = photo
    self.styles = styles
    self.settings = settings
    self.network = network
  }

  /// The size of the painting.
  public var size: PictureSize { size(at: settings.size ?? photo.size.longerSide) }

  /// The size of a scale whose longer side has so many pixels.
  private func size(at longerSide: Int) -> PictureSize {
    photo.size.scaled(toLongerSide: longerSide, least: 16)
  }

  /// The memory that the largest scale will take, in bytes, estimated from the smallest, whose
  /// computation is planned for it: everything large grows with the area. Painting begins with that plan.
  public func estimatedBytes() throws -> Int {
    let scales: [Int] = PaintingSettings.scales(upTo: size.longerSide)
    let small: PaintingObjective = try objective(at: scales[0])
    estimated.withLock { $0 = small }
    let tiny: PictureSize = size(at: scales[0])
    let ratio: Double =
      Double(size.width * size.height) / Double(tiny.width * tiny.height)
    let points: Double = Double(size.width * size.height * 3 * 4)
    let copies: Double = settings.method == .lbfgs ? Double(memory(points) * 2 + 8) : 8
    return Int(Double(small.byteCount) * ratio + points * copies)
  }

  /// The steps that L-BFGS remembers: fewer where each takes much memory.
  private func memory(_ bytes: Double) -> Int { min(12, max(3, Int(600e6 / (bytes * 2)))) }

  /// Paints.
  ///
  /// - Parameter report: called after each step; false ends the work, and the picture so far is
  ///   the result.
  public func paint(_ report: (PaintingProgress, Snapshot) throws -> Bool) throws -> Picture {
    let scales: [Int] = PaintingSettings.scales(upTo: size.longerSide)
    let shares: [Int] = PaintingSettings.shares(of: settings.iterations, among: scales.count)
    let costs: [Double] = zip(scales, shares).map { Double($0 * $0 * $1) }
    let total: Double = costs.reduce(0, +)
    var canvas: Picture?
    var done: Int = 0
    var spent: Double = 0
    for ((scale, steps), cost) in zip(zip(scales, shares), costs) where steps > 0 {
      let objective: PaintingObjective =
        try scale == scales[0] ? takeEstimated() ?? objective(at: scale) : objective(at: scale)
      let (width, height) = (size(at: scale).width, size(at: scale).height)
      let start: [Float] = try point(canvas, width: width, height: height)
      var minimizer: any Minimizer = try minimizer(objective, start, isLast: scale == scales.last)
      var wantsMore = true
      for step in 1...steps {
        let moved: Bool = try minimizer.step(objective)
        done += 1
        let progress = PaintingProgress(
          iteration: done, iterations: settings.iterations, width: width, height: height,
          loss: minimizer.value, share: (spent + cost * Double(step) / Double(steps)) / total)
        let current: [Float] = minimizer.point
        wantsMore = try report(progress) {
          try finished(Picture(width: width, height: height, planes: current))
        }
        guard moved, wantsMore else {
          done += steps - step
          break
        }
      }
      spent += cost
      canvas = try Picture(width: width, height: height, planes: minimizer.point)
      guard wantsMore else { break }
    }
    guard let canvas else { preconditionFailure("there is a step at some scale") }
    return try finished(canvas)
  }

  private func minimizer(_ objective: PaintingObjective, _ start: [Float], isLast: Bool) throws
    -> any Minimizer
  {
    switch settings.method {
    case .lbfgs:
      // The first step changes each sample by some four levels.
      return try LBFGS(
        objective, from: start, memory: memory(Double(start.count * 4)),
        firstLength: 4 * Double(start.count).squareRoot())
    case .adam: return try Adam(objective, from: start, rate: isLast ? 2 : 4)
    }
  }

  /// The picture at its full size, with what is kept of the photo.
  private func finished(_ canvas: Picture) throws -> Picture {
    let scaled: Picture = try canvas.scaled(to: size)
    let original: Picture = try photo.scaled(to: size)
    let colored: Picture =
      settings.colors == .luminance ? try scaled.withColors(of: original) : scaled
    return try colored.withAlpha(of: original)
  }

  /// Where a scale starts: with the picture of the scale before, or as the settings say.
  private func point(_ canvas: Picture?, width: Int, height: Int) throws -> [Float] {
    if let canvas { return try canvas.scaled(toWidth: width, height: height).planes }
    switch settings.start {
    case .photo:
      return try photo.withoutAlpha.scaled(toWidth: width, height: height).planes
    case .style:
      return try styles[0].painting.withoutAlpha.scaled(toWidth: width, height: height).planes
    case .noise:
      var noise = NoiseSource(seed: settings.seed)
      return (0..<width * height * 3).map { _ in 128 + 64 * (noise.next() - 0.5) }
    }
  }

  /// The objective that the estimate has made, once.
  private func takeEstimated() -> PaintingObjective? {
    estimated.withLock { known in
      defer { known = nil }
      return known
    }
  }

  /// The objective of a scale.
  private func objective(at side: Int) throws -> PaintingObjective {
    let (width, height) = (size(at: side).width, size(at: side).height)
    let scaled: Picture = try photo.withoutAlpha.scaled(toWidth: width, height: height)
    return try PaintingObjective(
      width: width, height: height, photo: scaled.planes,
      styles: try targets(width: width, height: height), loss: settings.loss, network: network,
      options: settings.execution)
  }

  /// The styles at a scale: those without masks mixed, the others each with its own.
  private func targets(width: Int, height: Int) throws -> [PerceptualLoss.Style] {
    guard settings.loss.styleWeight != 0 else { return [] }
    var everywhere: [(targets: StyleTargets, weight: Double)] = []
    var result: [PerceptualLoss.Style] = []
    for style in styles where style.weight > 0 {
      var painting: Picture = try style.painting.withoutAlpha.withoutFrame()
      if settings.colors == .match { painting = try painting.matchingColors(of: photo) }
      let targets = try StyleTargets(
        of: try fitted(painting, area: width * height), by: network,
        layers: settings.loss.styleLayers, options: settings.execution)
      if let mask = style.mask {
        result.append(PerceptualLoss.Style(targets, mask: mask))
      } else {
        everywhere.append((targets, style.weight))
      }
    }
    guard !everywhere.isEmpty else { return result }
    let mixed = try StyleTargets(mixing: everywhere)
    // Where masks are given, styles without one fill what the masks leave over.
    guard let first = styles.compactMap(\.mask).first else {
      return [PerceptualLoss.Style(mixed)]
    }
    let rest: StyleMask = styles.compactMap(\.mask).dropFirst()
      .reduce(first) { $0.joined(with: $1) }.inverted
    return result + [PerceptualLoss.Style(mixed, mask: rest)]
  }

  /// A painting of as many pixels as the picture has, or of its own where those are fewer, so that
  /// strokes keep their size.
  private func fitted(_ painting: Picture, area: Int) throws -> Picture {
    let factor: Double = (Double(area) / Double(painting.width * painting.height)).squareRoot()
    guard factor < 1 else { return painting }
    return try painting.scaled(to: painting.size.scaled(by: factor, least: 16))
  }
}

/// Numbers that look random and are the same for one seed everywhere, 0…1, of 24 bits.
struct NoiseSource {
  private var generator: SampleGenerator

  init(seed: UInt64) { generator = SampleGenerator(seed: seed) }

  mutating func next() -> Float { Float(generator.next() >> 40) / Float(1 << 24) }
}
