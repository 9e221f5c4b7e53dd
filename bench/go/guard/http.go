package guard

import "net/http"

// Over wraps a handler in a guard that decides by the headers of each request. It calls refuse for requests that are not admitted.
func Over(next http.Handler, refuse func(http.ResponseWriter, *http.Request, Refusal)) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		admission, refusal := Admit(request.Header.Get("X-Gateway-Key"))
		if refusal != None {
			refuse(response, request, refusal)
			return
		}
		headers := response.Header()
		headers["Cache-Control"] = []string{"private"}
		headers["Ratelimit-Policy"] = []string{Policy}
		headers["Ratelimit"] = []string{admission.RateLimit}
		headers["X-Request-Id"] = []string{admission.RequestID}
		next.ServeHTTP(response, request)
	})
}
