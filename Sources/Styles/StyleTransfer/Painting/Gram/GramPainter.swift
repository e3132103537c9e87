import Engine
import Imaging
import Operators

/// Paints by matching Gram matrices from coarse to fine. The picture gets new forms that are as large as the
/// painting's.
///
/// At each scale, the photo and the paintings have the same longer side. Each scale is √2 times as large as the
/// previous one. Most steps are taken at small scales, where they are cheap and shape large areas. The steps are those
/// of Adam. The result of a scale is the exponential mean of the points after the steps, which is smoother than the
/// last point. The next scale starts from this mean.
///
/// **Source:** Gatys, Ecker and Bethge, arXiv:1508.06576; scales, steps and the mean of the steps: crowsonkb,
/// style-transfer-pytorch.
struct GramPainter: PaintingProcess {
  private let task: PaintingTask
  private let schedule: PaintingSchedule
  private let weights: GramObjective.Weights

  /// The minimum longer side of all scales but the last, in pixels.
  private static let leastSide = 96
  /// The width of the border while the picture is painted, in pixels.
  private static let margin = 16
  /// The sides of the picture with its border are multiples of this number.
  private static let alignment = 8
  /// The learning rate of Adam, for samples of 0…255.
  private static let rate: Double = 5.1

  init(_ task: PaintingTask) throws {
    self.task = task
    let settings: PaintingSettings = task.settings
    schedule = PaintingSchedule(
      side: task.size.longerSide, least: Self.leastSide, factor: 2.0.squareRoot(),
      iterations: settings.iterations, steps: { settings.preset.gramSteps(atSide: $0) })
    weights = settings.gramWeights
  }

  func estimatedBytes() throws -> Int {
    let side: Int = schedule.scales[0].side
    let small: PaintingCanvas = canvas(try task.photo(at: side))
    let objective: GramObjective = try objective(small, side: side)
    let whole: PictureSize = PaintingCanvas.paddedSize(
      task.size, margin: Self.margin, alignment: Self.alignment)
    let area = Double(whole.width * whole.height)
    let ratio: Double = area / Double(small.pixels.shape[2] * small.pixels.shape[3])
    return objective.constantByteCount
      + Int(Double(objective.arenaByteCount) * ratio + area * 3 * 4 * 8)
  }

  func paint(_ report: PicturePainter.Report) throws -> Picture {
    var painted: Picture?
    var done: Int = 0
    for scale in schedule.scales where scale.steps > 0 {
      let base: PaintingCanvas = canvas(
        try painted?.scaled(to: task.size(at: scale.side)) ?? start(side: scale.side))
      let objective: GramObjective = try objective(
        canvas(try task.photo(at: scale.side)), side: scale.side)
      var minimizer = try Adam(objective, from: base.pixels.values, rate: Self.rate)
      var mean = RunningMean(count: base.pixels.values.count, decay: task.settings.preset.meanDecay)
      var isEnded = false
      for _ in 0..<scale.steps {
        _ = try minimizer.step(objective)
        minimizer.clamp(to: 0...255)
        mean.add(minimizer.point)
        done += 1
        let progress = PaintingProgress(
          iteration: done, iterations: schedule.total, width: base.size.width,
          height: base.size.height, loss: minimizer.value, share: schedule.share(after: done))
        isEnded = !(try report(progress) { try task.finished(picture(mean.values, in: base)) })
        guard !isEnded else { break }
      }
      painted = try picture(mean.values, in: base)
      guard !isEnded else { break }
    }
    return try task.finished(painted ?? task.photo)
  }

  private func canvas(_ picture: Picture) -> PaintingCanvas {
    PaintingCanvas(picture, margin: Self.margin, alignment: Self.alignment)
  }

  private func picture(_ values: [Float], in canvas: PaintingCanvas) throws -> Picture {
    var shown: PaintingCanvas = canvas
    shown.pixels.values = values
    return try shown.picture()
  }

  /// The picture with which the first scale starts.
  private func start(side: Int) throws -> Picture {
    let size: PictureSize = task.size(at: side)
    switch task.settings.start {
    case .photo: return try task.photo(at: side)
    case .style:
      guard let first = task.styles.first else { return try task.photo(at: side) }
      return try first.painting.scaled(to: size)
    case .noise:
      var noise = NoiseSource(seed: task.settings.seed)
      return try Picture(
        width: size.width, height: size.height,
        planes: noise.samples(size.width * size.height * 3))
    }
  }

  private func objective(_ photo: PaintingCanvas, side: Int) throws -> GramObjective {
    let options: ExecutionOptions = task.settings.execution
    let groups: [GramObjective.Group] = try task.groups.map { group in
      let shape: Shape = photo.pixels.shape
      return GramObjective.Group(
        grams: try grams(group.styles, side: side),
        mask: group.mask.map { photo.mask($0, width: shape[3], height: shape[2]) })
    }
    let content: FloatTensor? = try weights.content.flatMap { term in
      try task.network.features(of: photo.pixels, layers: [term.layer], options: options)[
        term.layer]
    }
    return try GramObjective(
      photo.pixels.shape, groups: groups, photo: content, weights: weights, network: task.network,
      options: options)
  }

  /// Computes the weighted mean of the paintings' Gram matrices for each style layer.
  private func grams(_ styles: [PaintingStyle], side: Int) throws -> [FloatTensor] {
    let layers: [String] = weights.style.map(\.layer)
    let parts: [(targets: StyleTargets, weight: Double)] = try styles.map { style in
      let painting: Picture = try task.picture(
        of: style.painting, longerSide: side, alignment: Self.alignment)
      let targets = try StyleTargets(
        of: painting, by: task.network, layers: layers, options: task.settings.execution)
      return (targets, style.weight)
    }
    let mean = try StyleTargets(mixing: parts)
    return layers.compactMap { mean.grams[$0] }
  }
}

/// The exponential mean of vectors: recent ones weigh more.
struct RunningMean {
  private var sums: [Float]
  private let decay: Float
  private var weight: Float = 0

  init(count: Int, decay: Double) {
    sums = [Float](repeating: 0, count: count)
    self.decay = Float(decay)
  }

  /// Adds a vector.
  mutating func add(_ vector: [Float]) {
    precondition(vector.count == sums.count)
    weight = decay * weight + (1 - decay)
    for index in sums.indices { sums[index] = decay * sums[index] + (1 - decay) * vector[index] }
  }

  /// The mean of the vectors so far.
  var values: [Float] { weight > 0 ? sums.map { $0 / weight } : sums }
}
