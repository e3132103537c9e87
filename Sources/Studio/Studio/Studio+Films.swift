import FFmpeg
import Film
import Foundation
import Service

/// `/v1/films`.
extension Studio {
  /// The films of a client, and what is missing to paint them.
  private struct FilmList: Encodable {
    let films: [FilmService.Report]
    /// A sentence that says which program is missing. Nil if films can be painted.
    let need: String?
  }

  func addFilms(to router: inout Router) {
    router.add("GET", "/v1/films") { [self] request, _ in
      try .json(FilmList(films: films.reports(of: Self.client(request.head)), need: films.need))
    }
    router.add("POST", "/v1/films", limit: options.filmBytes) { [self] request, _ in
      let fields = try Fields(request)
      guard let data = fields.file("film"), !data.isEmpty else {
        throw HTTPError(
          400, "no_film",
          "There is no film. Send its bytes as the body or as the form's field 'film'.")
      }
      let name = String((fields.text("name") ?? "the film").filter { !$0.isNewline }.prefix(120))
      let client: String = Self.client(request.head)
      let report = try await quick.run(Self.queueClient(request.head)) { [films] in
        try await offload { try films.add(data, name: name, client: client) }
      }
      return try .json(report, status: 201)
    }
    router.add("GET", "/v1/films/{id}") { [self] _, parts in
      try .json(try films.report(parts["id"] ?? ""))
    }
    router.add("DELETE", "/v1/films/{id}") { [self] _, parts in
      try films.remove(parts["id"] ?? "")
      return .done
    }
    router.add("POST", "/v1/films/{id}/stop", limit: 4096) { [self] _, parts in
      try films.stop(parts["id"] ?? "")
      return .done
    }
    router.add("POST", "/v1/films/{id}/painting", limit: 4096) { [self] request, parts in
      try .json(try paintFilm(parts["id"] ?? "", request), status: 202)
    }
    router.add("GET", "/v1/films/{id}/painting") { [self] request, parts in
      try HTTPResponse(
        type: "video/mp4", file: try films.finished(parts["id"] ?? ""), for: request.head)
    }
  }

  private func paintFilm(_ id: String, _ request: HTTPRequest) throws -> FilmService.Report {
    let report = try films.report(id)
    let fields = try Fields(request)
    var order = try StylizeOrder(fields)
    // The large network paints about one frame per second.
    order.network = try fields.choice("network", StylizeOrder.Network.self) ?? .small
    order.size = order.size.map { min($0, max(report.width, report.height)) }
    let stability =
      try fields.number("stability", in: 0...1) ?? FilmSettings.defaultStability
    let entry = try models.entry(order.style)
    let (model, paint) = try self.order(entry, order)
    let work = FilmWork(
      paint: paint, film: films.film(id), target: films.painting(id), frames: report.frames,
      strength: order.strength, keepsColors: order.colors == .photo, stability: stability,
      styleText: order.line)
    let worker = worker(of: entry)
    return try films.paint(
      id,
      FilmService.Order(
        style: order.style, network: order.network, size: order.size, strength: order.strength,
        colors: order.colors, stability: stability),
      queueClient: Self.queueClient(request.head)
    ) { progress in
      try await worker.answer(.film(work), about: model, [:], progress: progress).value()
    }
  }
}

/// The settings with which a worker paints a film. The request names the file of the style's model or painting.
struct FilmWork: Codable, Sendable {
  let paint: PaintOrder
  /// The film.
  let film: URL
  /// The file of the painted film.
  let target: URL
  /// The number of frames of the film.
  let frames: Int
  let strength: Double
  /// Whether the painting has the colours of the film.
  let keepsColors: Bool
  let stability: Double
  /// The style as text. If it changes, painting does not continue an earlier one.
  let styleText: String
}
