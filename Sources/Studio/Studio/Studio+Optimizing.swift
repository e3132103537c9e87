import Foundation
import Imaging
import ModelTools
import Service
import StyleTransfer

/// `/v1/optimizations`.
extension Studio {
  /// The longer sides at which the studio paints by optimisation, in pixels.
  private static let optimizationSizes = 64...2048

  func addOptimizing(to router: inout Router) {
    router.add("GET", "/v1/optimizations") { [self] request, _ in
      try .json(["optimizations": optimizations.reports(of: Self.client(request.head))])
    }
    router.add("POST", "/v1/optimizations", limit: 2 * options.pictureBytes) {
      [self] request, _ in
      guard canTrain else {
        throw HTTPError(
          409, "no_vgg16",
          "VGG-16, which computes the features, is not fetched yet. Run `atelier fetch vgg16`.")
      }
      // The queue limits how many photos are decoded at once.
      let report = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await offload { [self] in try beginOptimizing(request) }
      }
      return try .json(report, status: 202)
    }
    router.add("GET", "/v1/optimizations/{id}") { [self] _, parts in
      try .json(try optimizations.report(parts["id"] ?? ""))
    }
    router.add("DELETE", "/v1/optimizations/{id}") { [self] _, parts in
      try optimizations.remove(parts["id"] ?? "")
      return .done
    }
    router.add("POST", "/v1/optimizations/{id}/stop", limit: 4096) { [self] _, parts in
      try optimizations.stop(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/optimizations/{id}/picture") { [self] request, parts in
      let (report, picture) = try optimizations.picture(parts["id"] ?? "")
      let format = try PictureOrder(try Fields(request))
      let data = try await quick.run(Self.queueClient(request.head)) {
        try await offload {
          try picture.encoded(
            as: format.format.format, quality: format.quality,
            origin: PictureOrigin(painter: report.order.line))
        }
      }
      return HTTPResponse(type: format.format.type, data)
    }
  }

  private func beginOptimizing(_ request: HTTPRequest) throws -> OptimizationService.Report {
    let fields = try Fields(request)
    let photo: Picture = try pictures.limit.decode(self.photo(fields, of: request).data())
    let title: String
    let painting: Picture
    if let data = fields.files.first(where: { $0.name == "painting" })?.data, !data.isEmpty {
      title = String((fields.text("name") ?? "Painting").filter { !$0.isNewline }.prefix(60))
      painting = try pictures.limit.decode(data)
    } else if let style = fields.text("style") {
      let entry = try models.entry(style)
      guard let file = entry.painting else { throw HTTPError.missing("painting of that style") }
      title = entry.title
      painting = try Picture(contentsOf: file)
    } else {
      throw HTTPError(
        400, "no_painting",
        "There is no painting. Send its bytes as the form's field 'painting', or name a 'style' that"
          + " /v1/styles lists with a painting.")
    }
    let order = OptimizationService.Order(
      title: title,
      method: (try fields.choice("method", Method.self) ?? .neighbors).rawValue,
      preset: (try fields.choice("preset", PaintingPreset.self) ?? .good).rawValue,
      size: min(
        photo.size.longerSide,
        try fields.integer("size", in: Self.optimizationSizes) ?? PaintingSettings.defaultSize),
      strength: try fields.number("strength", in: PaintingSettings.strengths) ?? 1)
    return optimizations.begin(
      order, photo: photo, painting: painting, network: FetchableModel.vgg16.file(),
      client: Self.client(request.head), queueClient: Self.queueClient(request.head))
  }

  /// The methods that need a painting.
  private enum Method: String, CaseIterable {
    case neighbors, gram
  }
}

extension OptimizationService.Order {
  /// The settings as one line, for the metadata of the painting.
  var line: String {
    "\(title), by optimisation (\(method), \(preset)\(strength == 1 ? "" : ", strength \(strength)"))"
  }
}
