import Engine
import Imaging

/// Paints with the painting's own features: each position of the picture gets the features of the most similar position
/// in the painting. So every stroke is the painter's.
///
/// From coarse to fine, at each scale:
///
/// 1. The columns of features of the photo (three quarters) and of the picture so far (a quarter) are compared with
///    those of the painting. The most similar ones are the targets.
/// 2. The bands of the picture are optimised with Adam until the columns of the picture point in the same directions as
///    their targets.
///
/// 3. The picture gets the painting's colours (``Palette``).
///
/// The last phase adds steps at the last scale. Each of them searches the most similar features anew, separately for
/// each layer. Large pictures are painted tile by tile.
///
/// **Source:** Kolkin, Kucera, Paris, Sýkora, Shechtman and Shakhnarovich, “Neural Neighbor Style Transfer”,
/// arXiv:2203.13215, with VGG-16 alone and without its colour step.
struct NeighborPainter: PaintingProcess {
  private let task: PaintingTask
  private let schedule: PaintingSchedule
  private let hypercolumns: Hypercolumns

  /// The minimum longer side of all scales but the last, in pixels.
  private static let leastSide = 64
  /// The largest number of positions of the picture that the last phase compares in a layer.
  private static let samples = 1024

  init(_ task: PaintingTask) throws {
    self.task = task
    let settings: PaintingSettings = task.settings
    hypercolumns = Hypercolumns(network: task.network, layers: settings.neighborLayers)
    // Below the strength 1, targets contain a share of the photo. The last phase would remove it.
    let finalSteps: Int =
      settings.strength < 1
      ? 0 : settings.preset.finalNeighborSteps(atSide: task.size.longerSide)
    schedule = PaintingSchedule(
      side: task.size.longerSide, least: Self.leastSide, factor: 2,
      iterations: settings.iterations, finalSteps: finalSteps,
      steps: { settings.preset.neighborSteps(atSide: $0) })
  }

  func estimatedBytes() throws -> Int {
    let side: Int = schedule.scales[0].side
    let small = PaintingCanvas(
      try task.photo(at: side), margin: NeighborPart.margin, alignment: Hypercolumns.alignment)
    let pyramid = LaplacianPyramid(
      width: small.pixels.shape[3], height: small.pixels.shape[2])
    let columns: FeatureColumns = try hypercolumns.columns(
      of: small.pixels, options: task.settings.execution)
    let objective = try NeighborObjective(
      pyramid, targets: columns, hypercolumns: hypercolumns, options: task.settings.execution)
    let tile: PictureTiles.Tile = PictureTiles(task.size).tiles[0]
    let whole: PictureSize = PaintingCanvas.paddedSize(
      PictureSize(width: tile.width, height: tile.height), margin: NeighborPart.margin,
      alignment: Hypercolumns.alignment)
    let ratio: Double =
      Double(whole.width * whole.height) / Double(small.pixels.shape[2] * small.pixels.shape[3])
    let smallMatrix: Int = columns.rows * columns.count * 4
    let matrix: Double = Double(smallMatrix) * ratio
    let weights = Double(objective.constantByteCount - smallMatrix)
    let pictures = Double(task.size.width * task.size.height * 3 * 4 * 4)
    // Comparing columns and optimising the picture do not overlap, so the larger of the two counts. The last phase
    // needs less than the steps with columns, because it has no targets.
    let comparing: Double = 4 * matrix
    let optimizing: Double = Double(objective.arenaByteCount) * ratio + matrix
    return Int(weights + max(comparing, optimizing) + pictures)
  }

  func paint(_ report: PicturePainter.Report) throws -> Picture {
    var painted: Picture?
    var done: Int = 0
    for (index, scale) in schedule.scales.enumerated() {
      let photo: Picture = try task.photo(at: scale.side)
      let coarse: Picture? =
        try index > 0
        ? task.photo(at: schedule.scales[index - 1].side).scaled(to: photo.size) : nil
      let base: Picture = try painted?.scaled(to: photo.size) ?? photo
      let isLast: Bool = index == schedule.scales.count - 1
      let counts: [Int] = [scale.steps, isLast ? schedule.finalSteps : 0]
      let (picture, isEnded) = try paint(
        base, photo: photo, coarsePhoto: coarse, steps: counts, done: done, report)
      painted = isLast || isEnded ? picture : try task.colored(picture)
      done += counts[0] + counts[1]
      guard !isEnded else { break }
    }
    return try task.finished(painted ?? task.photo)
  }

  /// Paints one scale, tile by tile.
  ///
  /// - Parameters:
  ///   - base: The picture with which the scale starts.
  ///   - photo: The photo in the same size.
  ///   - coarsePhoto: The photo at the previous scale, enlarged to the same size. Nil at the first scale.
  ///   - steps: The number of steps with ``NeighborObjective``, then with ``LayerNeighborObjective``.
  ///   - done: The number of steps before this scale.
  /// - Returns: The picture, and whether the caller's report ended the painting.
  private func paint(
    _ base: Picture, photo: Picture, coarsePhoto: Picture?, steps: [Int], done: Int,
    _ report: PicturePainter.Report
  ) throws -> (Picture, isEnded: Bool) {
    let groups: [NeighborGroup] = try task.groups.map { group in
      try NeighborGroup(
        group.styles, mask: group.mask, longerSide: photo.size.longerSide, task: task,
        hypercolumns: hypercolumns)
    }
    let grid = PictureTiles(base.size)
    var painted: [Picture] = []
    for (number, tile) in grid.tiles.enumerated() {
      let part = NeighborPart(
        base: try grid.part(tile, of: base), photo: try grid.part(tile, of: photo),
        coarsePhoto: try coarsePhoto.map { try grid.part(tile, of: $0) },
        groups: groups.map { group in (group, group.mask.map { grid.part(tile, of: $0) }) })
      let isLastTile: Bool = number == grid.tiles.count - 1
      // The colours of a tile alone say nothing about those of the picture.
      let matchesColors: Bool = grid.tiles.count == 1
      let (picture, isEnded) = try paint(
        part, steps: steps, freesColumns: isLastTile, matchesColors: matchesColors
      ) {
        taken, loss, snapshot in
        // A step of the schedule is complete when all tiles have taken it.
        let share: Int =
          done + (number * (steps[0] + steps[1]) + taken) / grid.tiles.count
        let progress = PaintingProgress(
          iteration: share, iterations: schedule.total, width: base.width, height: base.height,
          loss: loss, share: schedule.share(after: share))
        return try report(progress) {
          try task.finished(grid.blended(painted + [snapshot()], over: base))
        }
      }
      painted.append(picture)
      guard !isEnded else { return (try grid.blended(painted, over: base), true) }
    }
    return (try grid.blended(painted, over: base), false)
  }

  /// Paints a picture or a tile.
  ///
  /// - Parameters:
  ///   - steps: The number of steps with ``NeighborObjective``, then with ``LayerNeighborObjective``.
  ///   - freesColumns: Whether to free the columns of the paintings, because no later part needs them.
  ///   - matchesColors: Whether the picture gets the paintings' colours before the last phase.
  ///   - report: Called after each step with the number of steps, the loss and a function that makes the picture.
  ///     Returns false to end.
  private func paint(
    _ part: NeighborPart, steps: [Int], freesColumns: Bool, matchesColors: Bool,
    report: (Int, Double, @escaping PicturePainter.Snapshot) throws -> Bool
  ) throws -> (Picture, isEnded: Bool) {
    let options: ExecutionOptions = task.settings.execution
    let canvas: PaintingCanvas = part.canvas(part.base)
    let shape: Shape = canvas.pixels.shape
    let pyramid = LaplacianPyramid(width: shape[3], height: shape[2])
    var bands: [Float] = try pyramid.bands(of: canvas.pixels, options: options).flatMap { $0 }
    var taken: Int = 0
    var isEnded = false

    func picture() throws -> Picture {
      var shown: PaintingCanvas = canvas
      shown.pixels = try pyramid.picture(of: bands, options: options)
      return try shown.picture()
    }
    func run(_ objective: any Objective, steps: Int) throws {
      var minimizer = try Adam(objective, from: bands, rate: task.settings.preset.neighborRate)
      for _ in 0..<steps where !isEnded {
        _ = try minimizer.step(objective)
        taken += 1
        bands = minimizer.point
        isEnded = !(try report(taken, minimizer.value, picture))
      }
    }
    if steps[0] > 0 {
      try run(
        objective(part, pyramid, freesColumns: freesColumns), steps: steps[0])
    }
    if steps[1] > 0, !isEnded {
      if matchesColors {
        let colored: PaintingCanvas = part.canvas(try task.colored(try picture()))
        bands = try pyramid.bands(of: colored.pixels, options: options).flatMap { $0 }
      }
      let groups: [LayerNeighborObjective.Group] = part.groups.map { group, mask in
        LayerNeighborObjective.Group(
          paintings: group.paintings,
          mask: mask.map { canvas.mask($0, width: shape[3], height: shape[2]) })
      }
      try run(
        LayerNeighborObjective(
          pyramid, groups: groups, network: task.network, layers: task.settings.neighborLayers,
          samples: Self.samples, seed: task.settings.seed, options: options),
        steps: steps[1])
    }
    return (try picture(), isEnded)
  }

  /// Plans the distance of a picture or a tile from its targets.
  private func objective(_ part: NeighborPart, _ pyramid: LaplacianPyramid, freesColumns: Bool)
    throws -> NeighborObjective
  {
    let options: ExecutionOptions = task.settings.execution
    let targets: FeatureColumns = try part.targets(
      strength: task.settings.strength, hypercolumns: hypercolumns, options: options)
    if freesColumns { for entry in part.groups { entry.group.freeColumns() } }
    return try NeighborObjective(
      pyramid, targets: consume targets, hypercolumns: hypercolumns, options: options)
  }
}
